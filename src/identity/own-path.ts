/** A path that a browser resolves on this origin, regardless of slashes, backslashes and removed characters. */
const OWN_PATH = /^\/(?![/\\])[^\\\p{Cc}\p{Cs}]*$/u;
/** The longest path, in characters as a browser sends it: twice as many as the longest saved view has. */
export const MAX_OWN_PATH = 4_000;
const ORIGIN = 'http://own.invalid';

/** Returns the text if it is a path of this service to redirect a browser to; undefined for everything else. */
export function ownPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || text.length > MAX_OWN_PATH || !OWN_PATH.test(text)) return undefined;
  const url = URL.canParse(text, ORIGIN) ? new URL(text, ORIGIN) : undefined;
  // Dot segments may still resolve to `//elsewhere`, so the path that the browser would request is checked.
  if (url?.origin !== ORIGIN || !OWN_PATH.test(url.pathname)) return undefined;
  const path = `${url.pathname}${url.search}${url.hash}`;
  return path.length > MAX_OWN_PATH ? undefined : path;
}
