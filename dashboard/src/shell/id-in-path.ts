/** Pages of one thing, by the parts of their path; `:id` is the id of the thing. */
const PAGES = [
  '/events/:id',
  '/sessions/:id',
  '/apps/:id',
  '/budgets/:environment/:id',
  '/policies/:environment/rules/:id',
  '/exports/schedules/:id',
].map((path) => path.split('/'));

/** The id of the thing that a page is about; undefined for lists and other pages. Tabs of a page belong to the same thing. */
export function idInPath(pathname: string): string | undefined {
  const parts = pathname.split('/');
  const isThere = (part: string, at: number): boolean =>
    part.startsWith(':') ? Boolean(parts[at]) : part === parts[at];
  const page = PAGES.find((each) => each.every(isThere));
  const id = page === undefined ? undefined : parts[page.indexOf(':id')];
  // The setup guide of an app that does not exist yet.
  if (id === undefined || (parts[1] === 'apps' && id === 'new')) return undefined;
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
