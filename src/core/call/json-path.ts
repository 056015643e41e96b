const NAME = /^(?:[A-Za-z]{1,24}[0-9]{0,3}|[0-9]{1,3})?(?:[_.-](?:[A-Za-z]{1,24}[0-9]{0,3}|[0-9]{1,3})?)*$/;
const MAX_NAME = 64;

/**
 * The path of an object's member. A key is included only if it looks like a name; any other key may itself be a person's data or a secret,
 * and is replaced by the member's position: `arguments{2}` is the third member.
 */
export function memberPath(path: string, key: string, position: number): string {
  if (!isNameLike(key)) return `${path}{${position}}`;
  return path === '' ? key : `${path}.${key}`;
}

export function itemPath(path: string, index: number): string {
  return `${path}[${index}]`;
}

/**
 * Whether a key consists of words, each followed by at most three digits, joined by `_`, `-` or `.`: no credential, number or address looks
 * like that.
 */
export function isNameLike(key: string): boolean {
  return key !== '' && key.length <= MAX_NAME && NAME.test(key);
}
