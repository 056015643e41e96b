import type { DocumentLimits, DocumentReading, DocumentText } from './reading.js';

/** The CPU time that the documents of one call may take together, in multiples of the maximum for one document. */
const DOCUMENTS_OF_FULL_LENGTH = 4;

/** A document as a thread read it. */
export interface ReadDocument extends DocumentReading {
  /** The CPU time that reading the document took, in milliseconds. */
  readonly workMs: number;
}

/** What the next document of a call may use. */
interface DocumentRoom extends Pick<DocumentLimits, 'files' | 'unpackedBytes' | 'textChars'> {
  readonly workMs: number;
}

/**
 * The limits of all documents of one call together. Limits of single documents do not suffice: a call can contain thousands of small
 * documents, each of which is unpacked to megabytes, and the texts of all of them are in memory at the same time.
 */
export class DocumentBudget {
  private files: number;
  private unpackedBytes: number;
  private textChars: number;
  private workMs: number;

  /** @param workMs the maximum CPU time for one document */
  constructor({ files, unpackedBytes, textChars }: DocumentLimits, workMs: number) {
    this.files = files;
    this.unpackedBytes = unpackedBytes;
    this.textChars = textChars;
    this.workMs = DOCUMENTS_OF_FULL_LENGTH * workMs;
  }

  /** Whether no further document may be read. */
  get isUsedUp(): boolean {
    return [this.files, this.unpackedBytes, this.textChars, this.workMs].some((rest) => rest <= 0);
  }

  get room(): DocumentRoom {
    const { files, unpackedBytes, textChars, workMs } = this;
    return { files, unpackedBytes, textChars, workMs };
  }

  /**
   * Subtracts what a document used. Each of the documents that are read at the same time may use the whole rest: texts that then exceed the
   * rest are left out, and their document counts as unread.
   *
   * @param bytes the size of the document
   * @returns the document with the texts that are within the limit
   */
  charge(document: ReadDocument, bytes: number): ReadDocument {
    this.files -= 1 + document.used.files;
    this.unpackedBytes -= document.used.unpackedBytes;
    this.workMs -= document.workMs;
    const texts: DocumentText[] = [];
    for (const one of document.texts) {
      if (one.text.length > this.textChars) continue;
      this.textChars -= one.text.length;
      texts.push(one);
    }
    if (texts.length === document.texts.length) return document;
    return { ...document, texts, unread: [...document.unread, { place: '', why: 'limit', bytes }] };
  }
}
