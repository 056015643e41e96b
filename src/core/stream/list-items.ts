import { isStop, type Steps } from '../steps/steps.js';

const SPACE = /[^ \t\r\n]/g;

/**
 * Finds the positions of the entries of a JSON list. Uses a loop, because regular expressions overflow the stack on megabytes.
 * @param text valid JSON, with a list at its root
 */
export function* findingListItems(text: string): Steps<{ readonly start: number; readonly end: number }[]> {
  const items: { start: number; end: number }[] = [];
  let depth = 0;
  let start = 0;
  const add = (until: number): void => {
    SPACE.lastIndex = start;
    const from = SPACE.exec(text)?.index ?? until;
    let end = until;
    while (end > from && ' \t\r\n'.includes(text[end - 1]!)) end--;
    if (from < end) items.push({ start: from, end });
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]!;
    if (sign === '"') at = stringEnd(text, at);
    else if (sign === '[' || sign === '{') {
      if (depth++ === 0) start = at + 1;
    } else if (sign === ']' || sign === '}') {
      if (--depth === 0) add(at);
    } else if (sign === ',' && depth === 1) {
      add(at);
      start = at + 1;
      if (isStop(items.length)) yield;
    }
  }
  return items;
}

/** The closing quote of a string. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
