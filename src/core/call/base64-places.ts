import { decodeBase64 } from '../coding/base64.js';

/** Shorter base64 is read as text, and as the text that it may hold. */
const MIN_FILE = 64;
const MIN_DATA_URL = 24;
/** A data URL, up to where its content begins. */
const DATA_URL = /data:[^,\s"'<>()]{0,200};base64,/gi;
const NO_BASE64 = /[^A-Za-z0-9+/_=\-\r\n\t]/g;

/** Half-open range of base64 inside a text. */
export interface Base64Place {
  readonly start: number;
  readonly end: number;
  readonly charset?: string;
}

/** Whether a text is base64 of any alphabet from a place to its end, in one line or in several: no words with spaces. */
export function isBase64File(value: string, start: number): boolean {
  if (value.length - start < MIN_FILE || / [A-Za-z0-9]/.test(value.slice(start, start + 4_096).trim())) return false;
  return decodeBase64(value, start) !== undefined;
}

/** Whether a text is base64 but for a few characters, which some readers leave out. */
export function looksLikeBase64(value: string): boolean {
  if (value.length < MIN_FILE) return false;
  return (value.match(NO_BASE64)?.length ?? 0) * 10 <= value.length;
}

/** What files begin with in base64: PDF, ZIP, old Office, gzip, RTF, pages of HTML and XML. */
const FILE_BEGINNINGS = [
  'JVBERi0',
  'UEsDB',
  '0M8R4KGx',
  'H4sI',
  'e1xydG',
  'PCFET0NUWVBF',
  'PCFkb2N0eXBl',
  'PGh0bWw',
  'PD94bWwg',
] as const;
const FILE = /(?<![A-Za-z0-9+/_=-])([A-Za-z0-9+/_-]{44,})={0,2}/y;

/**
 * Files in base64 anywhere in a text, such as in JSON that a tool answered. Each beginning is looked for on its own: that
 * takes a quarter of what one pattern of all of them takes, and nearly every text has none.
 */
export function filesIn(value: string): Base64Place[] {
  if (value.length < MIN_FILE) return [];
  const places: Base64Place[] = [];
  for (const beginning of FILE_BEGINNINGS) {
    for (let start = value.indexOf(beginning); start !== -1;) {
      FILE.lastIndex = start;
      const [found, letters] = FILE.exec(value) ?? [];
      if (found !== undefined && letters!.length >= beginning.length + 40)
        places.push({ start, end: start + found.length });
      start = value.indexOf(beginning, start + (found?.length ?? 1));
    }
  }
  return places.sort((a, b) => a.start - b.start);
}

/** Data URLs anywhere in a text. */
export function dataUrlsIn(value: string): Base64Place[] {
  if (value.length < MIN_DATA_URL || !/;base64,/i.test(value)) return [];
  const places: Base64Place[] = [];
  for (const match of value.matchAll(DATA_URL)) {
    const start = match.index + match[0].length;
    NO_BASE64.lastIndex = start;
    const end = NO_BASE64.exec(value)?.index ?? value.length;
    const charset = charsetOfDataUrl(match[0]);
    if (end > start) places.push({ start, end, ...(charset === undefined ? {} : { charset }) });
  }
  return places;
}

export function charsetOfDataUrl(head: string): string | undefined {
  return /;\s*charset=["']?([\w-]{1,40})/i.exec(head)?.[1];
}
