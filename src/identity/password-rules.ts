/** Which passwords are taken: long enough and not among those that are guessed first. No rules about kinds of letters. */

/** In characters (code points): long passwords beat complicated ones. */
export const MIN_PASSWORD = 12;
export const MAX_PASSWORD = 128;
/** A word that repeats, or stands with some digits, is as common as the word. */
const MAX_UNIT = 6;
const MIN_WORD = 6;

let common: Promise<ReadonlySet<string>> | undefined;

/** The commonest passwords, from a list that comes with the service; read when the first password is chosen. */
function commonPasswords(): Promise<ReadonlySet<string>> {
  common ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(Object.values(dictionary['passwords-common']).map(String)),
  );
  return common;
}

/**
 * What is wrong with a password, as the rest of a sentence; null when nothing is.
 *
 * @param email of who chooses it: the address is the first thing that is tried
 */
export async function passwordProblem(password: string, email: string): Promise<string | null> {
  const { length } = [...password];
  if (length < MIN_PASSWORD) return `must have at least ${MIN_PASSWORD} characters`;
  if (length > MAX_PASSWORD) return `must have at most ${MAX_PASSWORD} characters`;
  const plain = password.toLowerCase();
  if (plain === email.toLowerCase()) return 'must not be the e-mail address';
  if (isRepetition(plain) || isRun(plain)) return 'is easy to guess: it repeats itself';
  const known = await commonPasswords();
  const word = plain.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
  const half = plain.slice(0, plain.length / 2);
  const isWord = word.length >= MIN_WORD && known.has(word);
  const isCommon = known.has(plain) || isWord || (plain === half + half && known.has(half));
  return isCommon ? 'is one of the passwords that are guessed first' : null;
}

/** `aaaaaaaaaaaa`, `abcabcabcabc`. */
function isRepetition(text: string): boolean {
  for (let unit = 1; unit <= MAX_UNIT && unit < text.length; unit += 1) {
    if (
      text ===
      text
        .slice(0, unit)
        .repeat(Math.ceil(text.length / unit))
        .slice(0, text.length)
    )
      return true;
  }
  return false;
}

/** `123456789012`, `abcdefghijkl`: each character follows the one before, up or down; digits go round. */
function isRun(text: string): boolean {
  const steps = new Set<number>();
  for (let index = 1; index < text.length; index += 1) {
    const [left, right] = [text.charCodeAt(index - 1), text.charCodeAt(index)];
    const wraps = (text[index - 1] === '9' && text[index] === '0') || (text[index - 1] === '0' && text[index] === '9');
    steps.add(wraps ? (text[index] === '0' ? 1 : -1) : right - left);
  }
  return steps.size === 1 && Math.abs([...steps][0] ?? 0) <= 1;
}
