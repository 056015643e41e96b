/** Makes the invisible characters in texts of callers visible: with such characters, a text can look like another one. */

// Bidirectional overrides, zero-width signs and control characters could make a text look like another one.
const HIDDEN =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** The visible form of an invisible character. */
export function shown(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  return code === 0x7f ? '\u2421' : `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

// Scripts in which invisible joiners connect or separate letters.
const LETTER =
  '[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}]';
const JOINED = new RegExp(
  `(?<=${LETTER})[\\u200c\\u200d](?=${LETTER})|(?<=[\\p{Extended_Pictographic}\\ufe0f\\u{1f3fb}-\\u{1f3ff}])\\u200d(?=\\p{Extended_Pictographic})`,
  'gu',
);

/** The invisible characters, for texts that are not passed through `visible`, such as those of the editor. */
export const HIDDEN_SIGNS = new RegExp(`(?=${HIDDEN.source})(?!${JOINED.source})${HIDDEN.source}`, 'gu');

/** Makes invisible characters visible, except joiners that belong to the spelling of a word or an emoji. */
export function visible(text: string): string {
  if (!/[\u200c\u200d]/.test(text)) return text.replace(HIDDEN, shown);
  const kept = new Set([...text.matchAll(JOINED)].map(({ index }) => index));
  return text.replace(HIDDEN, (sign, at: number) => (kept.has(at) ? sign : shown(sign)));
}

/** A file path on one line: anyone who may deploy chooses the paths in a bundle. */
export function visiblePath(path: string): string {
  return visible(path.replace(/[\t\n\r]/g, shown));
}

/**
 * Whether somebody typed a name to confirm an action: as it is stored, or as the page shows it. Many names contain characters that no
 * keyboard has; spaces at the ends or in a row are not visible.
 */
export function isTypedName(typed: string, name: string): boolean {
  return typed !== '' && (typed === name || asRead(typed) === asRead(name));
}

const asRead = (text: string): string => visible(text).normalize().replace(/\s+/g, ' ').trim();
