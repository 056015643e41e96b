/** The content of a document, as far as it could be read. */

/** A text of a document. It cannot be masked inside the document. */
export interface DocumentText {
  /** The text's place, in words that contain nothing from the document: `page 3`, `slide 2 notes`, `file 4 > comments`. */
  readonly place: string;
  readonly text: string;
}

/**
 * `encrypted`: needs a password. `limit`: exceeds a limit. `malformed`: readers could interpret it differently. `binary`: an unknown
 * format. `archive`, `document`: a known format that Weir does not read. `outage`: the reader failed.
 */
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
  /** The formats in which it was read; a file can have several, such as a PDF that is also a ZIP. */
  readonly formats: readonly string[];
  readonly texts: readonly DocumentText[];
  /** Images, audio, video and fonts in the document: recognised, but their content is not read. */
  readonly media: readonly DocumentMedia[];
  readonly unread: readonly DocumentUnread[];
  readonly used: DocumentUse;
}

/** The contained files of a document and their unpacked size, as counted for the limits. */
interface DocumentUse {
  readonly files: number;
  readonly unpackedBytes: number;
}

export interface DocumentLimits {
  /** Maximum pages of a PDF. */
  readonly pages: number;
  /** Maximum files in archives, over all levels; an Office document is an archive. */
  readonly files: number;
  /** Maximum unpacked size of all archives together. */
  readonly unpackedBytes: number;
  /** Maximum ratio of unpacked to packed size. */
  readonly ratio: number;
  /** Maximum characters of text in total. */
  readonly textChars: number;
}

/** Maximum nesting of archives and attachments. */
export const MAX_DEPTH = 3;

export const DEFAULT_DOCUMENT_LIMITS: DocumentLimits = {
  pages: 1_000,
  files: 5_000,
  unpackedBytes: 128 * 1024 * 1024,
  ratio: 200,
  textChars: 10_000_000,
};

/** A limit is exceeded: the texts read so far are used, the rest is unread. */
export class OverLimit extends Error {
  override readonly name = 'OverLimit';
}

/** Collects texts and enforces the limits of the entire document. */
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
    // Small documents can legitimately compress very well, so the ratio is checked only for large ones.
    this.unpackedLimit = Math.min(limits.unpackedBytes, Math.max(inputBytes, 64 * 1024) * limits.ratio);
  }

  /** @throws OverLimit */
  text(place: string, text: string): void {
    if (!/\S/.test(text)) return;
    if (this.chars + text.length > this.limits.textChars) throw new OverLimit();
    this.chars += text.length;
    this.texts.push({ place, text });
  }

  /** Counts a file of an archive. @throws OverLimit */
  file(bytes: number): void {
    if (this.files >= this.limits.files || this.unpacked + bytes > this.unpackedLimit) throw new OverLimit();
    this.files++;
    this.unpacked += bytes;
  }

  /** Characters of text that can still be added. */
  get roomChars(): number {
    return this.limits.textChars - this.chars;
  }

  /** Bytes that can still be unpacked. */
  get roomBytes(): number {
    return this.unpackedLimit - this.unpacked;
  }

  reportUnread(place: string, why: DocumentUnreadWhy, bytes: number): void {
    this.unread.push({ place, why, bytes });
  }

  get reading(): DocumentReading {
    const { formats, texts, media, unread, files, unpacked } = this;
    return { formats: [...formats], texts, media, unread, used: { files, unpackedBytes: unpacked } };
  }
}

export function placeIn(outer: string, inner: string): string {
  return outer === '' ? inner : `${outer} > ${inner}`;
}
