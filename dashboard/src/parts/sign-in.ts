/** The address of the sign-in page, which leads back to the present address with its fragment, such as the line of a file. */
export function signInPath(): string {
  const { pathname, search, hash } = location;
  return `/auth/login?next=${encodeURIComponent(pathname + search + hash)}`;
}
