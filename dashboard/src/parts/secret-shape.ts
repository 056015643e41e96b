/** The shape of the secrets of keys and tokens. Such a text must not get into the URL, and so into histories and logs. */
const SECRET = /\b(?:sk|wt)_(?:live|test)?_?wr1_[\w-]{20,}/i;

export const looksSecret = (text: string): boolean => SECRET.test(text);
export const SECRET_REFUSED = 'This looks like a secret. It was not sent.';
