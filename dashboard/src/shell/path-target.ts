/** A path from the service as a target of the router, which keeps the page and its loaded data. */
import { safePath } from '../parts/safe-link.ts';
import type { Search } from './view.ts';

interface PathTarget {
  readonly to: string;
  readonly search: Search;
}

/** The parameters of the time range: a range of the page before is not kept beside the one that the path names. */
const NO_RANGE: Search = { range: undefined, from: undefined, to: undefined };

/** The page and its parameters; the overview for an address that is no path of this service. */
export function pathTarget(path: string): PathTarget {
  const { pathname, searchParams } = new URL(safePath(path), 'https://service.example');
  return { to: pathname, search: { ...NO_RANGE, ...Object.fromEntries(searchParams) } };
}
