/** A path that a browser resolves on this origin, regardless of slashes, backslashes and removed characters. */
const OWN_PATH = /^\/(?![/\\])[^\\\p{Cc}\p{Cs}]{0,1000}$/u;
const ORIGIN = 'http://own.invalid';

/** The text when it is a path of this service to lead a browser to; undefined for everything else. */
export function ownPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !OWN_PATH.test(text)) return undefined;
  const url = URL.canParse(text, ORIGIN) ? new URL(text, ORIGIN) : undefined;
  // Dots may still lead to `//elsewhere`: what the browser would ask for is what has to be a path.
  if (url?.origin !== ORIGIN || !OWN_PATH.test(url.pathname)) return undefined;
  return `${url.pathname}${url.search}${url.hash}`;
}
