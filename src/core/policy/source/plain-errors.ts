import { visit, type Document, type YAMLParseError } from 'yaml';

/** The errors of an invalid YAML text, in words for its author. */
interface PlainError {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint?: string;
}

/** Replacements for messages of the library that mention its internals; the replacements explain to authors what to do. */
const PLAINER: readonly (readonly [RegExp, string])[] = [
  [
    /^Nested mappings are not allowed in compact mappings/,
    'this line has too many keys, or the next line is indented too far',
  ],
  [
    /^Implicit keys need to be on a single line/,
    'a key and its ":" must be on one line: is the next line indented too far?',
  ],
  [/^All collection items must start at the same column/, 'entries of one list or map begin in the same column'],
  [
    /^Block collections are not allowed within flow collections/,
    'a key is inside brackets that are not closed, or a quotation mark is not valid in YAML',
  ],
  [/^Tabs are not allowed as indentation/, 'this line is indented with a tab: YAML allows only spaces'],
];

/** A key, the character used as a colon, and the character after it. */
const KEY_AND_COLON = /^[ -]*["']?[\w.$-]+["']?[ \u00a0]*(?:(:)([^ \r\n/])|([\uff1a\ufe55\ufe13\ua789\u2236]))/;
const BLANK = /[\u00a0\u2000-\u200b\u202f\u205f\u3000\ufeff]/;

export function plainError({ pos, message }: YAMLParseError, text: string, document: Document.Parsed): PlainError {
  const [start, end] = pos;
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const inKey = /^Implicit (?:map )?keys/.test(message) ? ofColon(text, lineStart) : undefined;
  if (inKey !== undefined) return inKey;
  if (/^Missing closing ["']/.test(message)) {
    const opened = quoteThatEnds(document, start) ?? start;
    return { start: opened, end: opened + 1, message: 'this quotation mark is never closed' };
  }
  return { start, end, message: messageOf(message) };
}

/** Without a real colon and a space after it, there is no key, and the library reports only that the next line is invalid. */
function ofColon(text: string, lineStart: number): PlainError | undefined {
  const [matched, , next = '', odd] = KEY_AND_COLON.exec(text.slice(lineStart, lineStart + 200)) ?? [];
  if (matched === undefined) return undefined;
  const last = lineStart + matched.length - 1;
  if (odd !== undefined) {
    return { start: last, end: last + 1, message: `this colon is ${codePoint(odd)}`, hint: 'write ":" and a space' };
  }
  if (BLANK.test(next)) {
    return {
      start: last,
      end: last + 1,
      message: `this space is ${codePoint(next)}`,
      hint: 'write a space after ":"',
    };
  }
  return { start: last - 1, end: last, message: 'a space is missing after ":"' };
}

function codePoint(character: string): string {
  return `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** The start of the quoted text that extends to this offset. */
function quoteThatEnds(document: Document.Parsed, end: number): number | undefined {
  let found: number | undefined;
  visit(document, {
    Scalar(_key, { type, range }) {
      const [from, to] = range ?? [0, -1];
      if ((type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE') && to >= end - 1) found ??= from;
    },
  });
  return found;
}

/** The first line of the library's message, without the position that it appends. */
function messageOf(message: string): string {
  const plainer = PLAINER.find(([form]) => form.test(message));
  if (plainer !== undefined) return plainer[1];
  return (message.split('\n', 1)[0] ?? message).replace(/ at line \d+, column \d+:?$/, '').slice(0, 200);
}
