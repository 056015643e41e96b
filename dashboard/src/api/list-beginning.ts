/** Adds a newly loaded first page to a list that was loaded page by page. */

interface Listed {
  readonly data: readonly { readonly id: string }[];
  readonly next_cursor: string | null;
}

/** The pages of a list as the library keeps them. */
interface Pages<P> {
  pages: P[];
  pageParams: unknown[];
}

/**
 * The list with the entries of its new first page. If they do not reach the loaded entries, others are between them: then the list begins
 * anew, because a gap would look like a complete list.
 *
 * @param loaded the newest entry first; undefined: nothing is loaded
 */
export function withBeginning<P extends Listed>(loaded: Pages<P> | undefined, page: P): Pages<P> {
  const anew = { pages: [page], pageParams: [undefined] };
  const [first, ...others] = loaded?.pages ?? [];
  if (loaded === undefined || first === undefined || page.next_cursor === null) return anew;
  // The service ended a long search before it found an entry.
  if (page.data.length === 0) return loaded;
  const added = new Set(page.data.map(({ id }) => id));
  if (!loaded.pages.some(({ data }) => data.some(({ id }) => added.has(id)))) return anew;
  const without = (data: Listed['data']): Listed['data'] => data.filter(({ id }) => !added.has(id));
  // Entries that were loaded while the new page was on its way are newer still.
  const at = first.data.findIndex(({ id }) => id === page.data[0]?.id);
  const newer = first.data.slice(0, Math.max(0, at));
  const rest = without(first.data.slice(newer.length));
  return {
    pages: [
      { ...first, data: [...newer, ...page.data, ...rest] },
      ...others.map((each) => ({ ...each, data: without(each.data) })),
    ],
    pageParams: loaded.pageParams,
  };
}
