/**
 * Patterns in a form that every reader of an OpenAPI document supports. Unicode property classes need the flag `u`, which a document
 * cannot set: without it, `\p{Cc}` means five letters.
 */
const PORTABLE: readonly (readonly [property: string, range: string])[] = [
  [String.raw`\p{Cc}`, String.raw`\u0000-\u001f\u007f-\u009f`],
  // Lone surrogates: no UTF-8 text contains one, and most regular expressions cannot express them.
  [String.raw`\p{Cs}`, ''],
];

/** Returns the document with every `pattern` in a form that needs no flag. @throws Error for a property without a range here */
export function withPortablePatterns<T extends object>(document: T): T {
  return JSON.parse(JSON.stringify(document), (key, value: unknown) =>
    key === 'pattern' && typeof value === 'string' ? portable(value) : value,
  ) as T;
}

function portable(pattern: string): string {
  const text = PORTABLE.reduce((made, [property, range]) => made.replaceAll(property, range), pattern);
  if (/\\[pP]\{/.test(text))
    throw new Error(
      'a pattern of the OpenAPI document uses a Unicode property for which PORTABLE has no character range',
    );
  return text;
}
