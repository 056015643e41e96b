/** The content of a document, as far as it could be read. */

/** A text of a document. It cannot be masked there. */
export interface DocumentText {
  /** Where it stands, in words that hold nothing of the document: `page 3`, `slide 2 notes`, `file 4 > comments`. */
  readonly place: string;
  readonly text: string;
}

/** `encrypted`: needs a password. `limit`: more than may be read. `malformed`: readers could take it differently. `outage`: its reader failed. */
export type DocumentUnreadWhy = 'binary' | 'encrypted' | 'limit' | 'malformed' | 'archive' | 'document' | 'outage';

export interface DocumentUnread {
  readonly place: string;
  readonly why: DocumentUnreadWhy;
  readonly bytes: number;
}

export interface DocumentMedia {
  readonly place: string;
  readonly type: string;
  readonly bytes: number;
}

export interface DocumentReading {
  /** What it was read as; a file can be two things at once, such as a PDF that is a ZIP too. */
  readonly formats: readonly string[];
  readonly texts: readonly DocumentText[];
  /** Pictures, recordings and fonts in it: recognised, and not looked into. */
  readonly media: readonly DocumentMedia[];
  readonly unread: readonly DocumentUnread[];
}

export interface DocumentLimits {
  /** Pages of a PDF. */
  readonly pages: number;
  /** Files in archives, all levels together; an Office document is an archive. */
  readonly files: number;
  /** What archives may hold unpacked, all together. */
  readonly unpackedBytes: number;
  /** How many times its size an archive may hold. */
  readonly ratio: number;
  /** Characters of text, all together. */
  readonly textChars: number;
}

/** Archives in archives, attachments of attachments. */
export const MAX_DEPTH = 3;

export const DEFAULT_DOCUMENT_LIMITS: DocumentLimits = {
  pages: 1_000,
  files: 5_000,
  unpackedBytes: 128 * 1024 * 1024,
  ratio: 200,
  textChars: 10_000_000,
};

/** More than a limit allows: what has been read so far counts, the rest is unread. */
export class OverLimit extends Error {
  override readonly name = 'OverLimit';
}

/** Gathers what is read, and keeps the limits of the whole document. */
export class ReadingCollector {
  readonly formats = new Set<string>();
  readonly texts: DocumentText[] = [];
  readonly media: DocumentMedia[] = [];
  readonly unread: DocumentUnread[] = [];
  private chars = 0;
  private files = 0;
  private unpacked = 0;
  private readonly unpackedLimit: number;

  constructor(
    readonly limits: DocumentLimits,
    inputBytes: number,
  ) {
    // Small documents are packed well: a ratio says something about large ones only.
    this.unpackedLimit = Math.min(limits.unpackedBytes, Math.max(inputBytes, 64 * 1024) * limits.ratio);
  }

  /** @throws OverLimit */
  text(place: string, text: string): void {
    if (!/\S/.test(text)) return;
    this.chars += text.length;
    if (this.chars > this.limits.textChars) throw new OverLimit();
    this.texts.push({ place, text });
  }

  /** Room for a file of an archive. @throws OverLimit */
  file(bytes: number): void {
    this.files++;
    this.unpacked += bytes;
    if (this.files > this.limits.files || this.unpacked > this.unpackedLimit) throw new OverLimit();
  }

  /** How much may yet be unpacked. */
  get roomBytes(): number {
    return this.unpackedLimit - this.unpacked;
  }

  skip(place: string, why: DocumentUnreadWhy, bytes: number): void {
    this.unread.push({ place, why, bytes });
  }

  get reading(): DocumentReading {
    const { formats, texts, media, unread } = this;
    return { formats: [...formats], texts, media, unread };
  }
}

export function placeIn(outer: string, inner: string): string {
  return outer === '' ? inner : `${outer} > ${inner}`;
}
