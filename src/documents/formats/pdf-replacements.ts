import { OverLimit } from '../reading.js';
import { beginningOf, PDF_PICTURE_FILTERS } from './pdf-filters.js';
import { hasInlineImage, isLargeImage } from './pdf-images.js';
import { NO_OBJECT, PdfObjects, type PdfObject, type PdfStreamObject } from './pdf-objects.js';
import { pdfPages, type PdfPages } from './pdf-pages.js';
import { textWithReplacements } from './pdf-spans.js';
import {
  isPdfDictionary,
  isPdfList,
  pdfBytesOf,
  pdfNameOf,
  pdfObjectOf,
  PdfSyntax,
  pdfTextOf,
  withoutNameEscapes,
  type PdfDictionary,
  type PdfValue,
} from './pdf-syntax.js';
import { isLikeWords, isMostlyPrintable } from './pieces-of-text.js';

/** The texts and files in a PDF file that pdfjs does not return. */
export interface PdfReplacements {
  /** Texts that replace or describe drawn content, in file order, and the drawn texts with their replacements. */
  readonly texts: readonly string[];
  /** All other strings of objects that read like text, such as the reasons of signatures and the names of layers. */
  readonly strings: ReadonlySet<string>;
  /** The content of every embedded file, including files in no list of attachments, of every part of a form in XML, and of metadata. */
  readonly files: readonly Buffer[];
  /** Whether a page can show an image that is larger than an icon. */
  readonly hasImages: boolean;
  /** Absent if not all objects could be read. */
  readonly pages?: PdfPages;
  /** Set if a part could not be read. */
  readonly unread?: 'malformed' | 'limit' | 'encrypted';
}

/**
 * Keys whose strings readers use instead of or in addition to the drawn text, in marked content, resources, the structure and notes
 * (ISO 32000-1, sections 14.9.3 to 14.9.5 and 12.5.6.2). pdfjs returns only some of them, and none of marked content.
 */
const KEYS: ReadonlySet<string> = new Set(['ActualText', 'Alt', 'E', 'Subj', 'RC', 'TU', 'Desc']);
const KEY = /\/((?:[AESRTD#])(?:[^\0\t\n\f\r ()<>[\]{}/%])*)/g;
const ACTUAL_TEXT = /\/(?:A|#41)(?:c|#63)[\w#]{3,60}/;
/** A part of a form in XML (XFA), of which pdfjs reads only those that make up the whole file. */
const XML_FORM = /^(?:\xef\xbb\xbf)?\s*<[^]*(?:www\.xfa\.org|ns\.adobe\.com\/xdp)\//;
const XML_FORM_HEAD_BYTES = 1_024;
/** Size of the sample of an image that shows whether the image is text. */
const SAMPLE_BYTES = 4_096;
/** Maximum ratio of unpacked to deflated size. */
const LARGEST_RATIO = 1_032;
/** Shorter strings are words of the format, such as codes of languages. */
/** The marks of UTF-16 and UTF-8 at the beginning of a string. */
const ENCODING_MARK = /^(?:\xfe\xff|\xff\xfe|\xef\xbb\xbf)/;
const SHORTEST_STRING = 6;
/** The beginning of a date. */
const DATE = /^D:\d{4}/;

/**
 * Finds the texts in every object and stream of a file, even if no page uses them, because readers differ in which ones they use.
 * @param room maximum bytes of all unpacked streams
 * @param isEncrypted whether the file is encrypted; an encrypted file is read if it opens without a password
 */
export function pdfReplacements(bytes: Buffer, room: number, isEncrypted: boolean): PdfReplacements {
  const search = new ReplacementSearch();
  try {
    search.run(new PdfObjects(bytes, room), isEncrypted);
  } catch (error) {
    if (!(error instanceof OverLimit)) throw error;
    return { ...search.found, unread: 'limit' };
  }
  return search.found;
}

class ReplacementSearch {
  private readonly texts: string[] = [];
  private readonly strings = new Set<string>();
  private readonly files: Buffer[] = [];
  /** Values that list the streams of embedded files, and the numbers of these streams. */
  private readonly described: PdfValue[] = [];
  private readonly embedded = new Set<number>();
  /** Values that list the streams of pages, and the numbers of these streams. */
  private readonly drawn: PdfValue[] = [];
  private readonly pages = new Set<number>();
  /** The numbers of texts that are separate objects. */
  private readonly wanted = new Set<number>();
  private tree: PdfPages | undefined;
  private hasImages = false;
  private unread: PdfReplacements['unread'];

  get found(): PdfReplacements {
    const { texts, strings, files, hasImages, tree, unread } = this;
    return {
      texts,
      strings,
      files,
      hasImages,
      ...(tree && { pages: tree }),
      ...(unread === undefined ? {} : { unread }),
    };
  }

  /** @throws OverLimit */
  run(objects: PdfObjects, isEncrypted: boolean): void {
    if (isEncrypted && !objects.decrypt()) {
      this.unread = 'encrypted';
      return;
    }
    if (!isEncrypted) this.findKeys(objects, objects.file);
    for (const object of objects.written) {
      if (isEncrypted) this.findStrings(objects, object.value, object);
      this.collectStrings(object.value, (value) => objects.bytesOf(value, object));
      this.findDescribed(object.value);
    }
    // Object streams are read first, because they can contain objects to which other streams refer.
    const lists = new Set(objects.streams.filter(({ about }) => isListOfObjects(objects, about)));
    for (const stream of lists) this.readStream(objects, stream);
    this.tree = pdfPages(objects);
    for (const listed of valuesBehind(objects, this.described)) {
      if (!isPdfDictionary(listed)) continue;
      for (const file of listed.values()) this.embedded.add(pdfObjectOf(file) ?? NO_OBJECT);
    }
    for (const value of this.drawn) this.pages.add(pdfObjectOf(value) ?? NO_OBJECT);
    for (const listed of valuesBehind(objects, this.drawn)) {
      if (!isPdfList(listed)) continue;
      for (const stream of listed) this.pages.add(pdfObjectOf(stream) ?? NO_OBJECT);
    }
    for (const stream of objects.streams) if (!lists.has(stream)) this.readStream(objects, stream);
    for (const number of this.wanted) {
      for (const value of objects.valuesOf(number)) this.addText(pdfBytesOf(value));
    }
    if (objects.isDamaged) this.unread = 'malformed';
  }

  private findKeys(objects: PdfObjects, text: string): void {
    for (const { 0: key, 1: name = '', index } of text.matchAll(KEY)) {
      if (!KEYS.has(withoutNameEscapes(name))) continue;
      const value = objects.valueAt(new PdfSyntax(text, index + key.length));
      this.addText(pdfBytesOf(value));
      this.want(value);
    }
  }

  /** Finds the texts in an object of an encrypted file, whose strings are encrypted one by one. */
  private findStrings(objects: PdfObjects, value: PdfValue, object: PdfObject): void {
    if (isPdfList(value)) for (const item of value) this.findStrings(objects, item, object);
    if (!isPdfDictionary(value)) return;
    for (const [key, inner] of value) {
      this.findStrings(objects, inner, object);
      if (!KEYS.has(key)) continue;
      this.addText(objects.bytesOf(inner, object));
      this.want(inner);
    }
  }

  /** Collects the strings of an object under any key, because readers differ in which ones they show. */
  private collectStrings(value: PdfValue, bytesOf: (value: PdfValue) => string | undefined): void {
    if (isPdfList(value)) for (const item of value) this.collectStrings(item, bytesOf);
    else if (isPdfDictionary(value)) for (const item of value.values()) this.collectStrings(item, bytesOf);
    else if (pdfBytesOf(value) !== undefined) {
      const bytes = decrypted(value, bytesOf);
      const text = pdfTextOf(bytes);
      if (text.length < SHORTEST_STRING || DATE.test(text)) return;
      // Without the mark of an encoding, the bytes of palettes, hashes and signatures would all be characters.
      const read = ENCODING_MARK.test(bytes) ? Buffer.from(text) : Buffer.from(bytes, 'latin1');
      if (isMostlyPrintable(read)) this.strings.add(text);
    }
  }

  private addText(bytes: string | undefined): void {
    if (bytes !== undefined) this.texts.push(pdfTextOf(bytes));
  }

  private want(value: PdfValue): void {
    const number = pdfObjectOf(value);
    if (number !== undefined) this.wanted.add(number);
  }

  /** Finds the lists of streams in the descriptions of files (section 7.11.4) and in pages (section 7.7.3.3). */
  private findDescribed(value: PdfValue): void {
    if (isPdfList(value)) for (const item of value) this.findDescribed(item);
    if (!isPdfDictionary(value)) return;
    for (const [key, inner] of value) {
      this.findDescribed(inner);
      if (key === 'EF') this.described.push(inner);
      if (key === 'Contents') this.drawn.push(inner);
    }
  }

  private readStream(objects: PdfObjects, stream: PdfStreamObject): void {
    const filters = objects.filtersOf(stream);
    if (isLargeImage(objects, stream, filters)) this.hasImages = true;
    if (filters?.some((name) => PDF_PICTURE_FILTERS.has(name)) === true) return;
    // A page is drawn whatever type its stream declares.
    const isPage = stream.number !== NO_OBJECT && this.pages.has(stream.number);
    const isPicture = pdfNameOf(stream.about.get('Subtype')) === 'Image' && !isPage;
    if (isPicture && filters !== undefined && !readsAsText(objects, stream, filters)) return;
    try {
      const content = objects.content(stream, filters);
      // Keys in a stream without filters are already found in the text of the file.
      const isPacked = filters?.length !== 0 || objects.isDecrypted;
      this.readContent(objects, stream, content, isPacked);
    } catch (error) {
      if (error instanceof OverLimit) throw error;
      this.unread = 'malformed';
    }
  }

  private readContent(objects: PdfObjects, stream: PdfStreamObject, content: Buffer, isPacked: boolean): void {
    const text = content.toString('latin1');
    const type = pdfNameOf(stream.about.get('Type'));
    if (isListOfObjects(objects, stream.about)) this.readList(objects, text, stream.about);
    const isFile = type === 'EmbeddedFile' || (stream.number !== NO_OBJECT && this.embedded.has(stream.number));
    if (isFile || type === 'Metadata' || XML_FORM.test(text.slice(0, XML_FORM_HEAD_BYTES))) this.files.push(content);
    if (isPacked) this.findKeys(objects, text);
    const isPage = stream.number !== NO_OBJECT && this.pages.has(stream.number);
    if (!isFile && hasInlineImage(text, isPage)) this.hasImages = true;
    if (!text.includes('BDC') || !ACTUAL_TEXT.test(text)) return;
    try {
      this.texts.push(textWithReplacements(text));
    } catch {
      // A stream that is not a page can end in the middle of a value; its texts are also found one by one.
    }
  }

  /** Reads the objects in an object stream (section 7.5.7): pairs of number and offset, then the objects. */
  private readList(objects: PdfObjects, text: string, about: PdfDictionary): void {
    const first = objects.resolved(about.get('First'));
    const offset = typeof first === 'number' ? first : 0;
    const numbers = new PdfSyntax(text, 0);
    while (numbers.at < offset) {
      const [number, at] = [objects.valueAt(numbers), objects.valueAt(numbers)];
      if (typeof number !== 'number' || typeof at !== 'number') return;
      const value = objects.valueAt(new PdfSyntax(text, offset + at));
      objects.add(number, value);
      this.collectStrings(value, pdfBytesOf);
      this.findDescribed(value);
    }
  }
}

/** The decrypted bytes of a string; the bytes as they are if they are not encrypted, such as those of a signature. */
function decrypted(value: PdfValue, bytesOf: (value: PdfValue) => string | undefined): string {
  try {
    return bytesOf(value) ?? '';
  } catch {
    return pdfBytesOf(value) ?? '';
  }
}

/** Whether a stream is an object stream. Readers differ in whether its type must be declared. */
function isListOfObjects(objects: PdfObjects, about: PdfDictionary): boolean {
  if (pdfNameOf(about.get('Type')) === 'ObjStm') return true;
  return ['N', 'First'].every((key) => typeof objects.resolved(about.get(key)) === 'number');
}

/** Values and all objects to which they refer, each once: many values can refer to one large object. */
function valuesBehind(objects: PdfObjects, values: readonly PdfValue[]): Set<PdfValue> {
  const numbers = new Set(values.map(pdfObjectOf));
  const behind = [...numbers].flatMap((number) => (number === undefined ? [] : objects.valuesOf(number)));
  return new Set([...values, ...behind]);
}

/** Whether a stream that is declared as an image contains words, like the content of a page. */
function readsAsText(objects: PdfObjects, stream: PdfStreamObject, filters: readonly string[]): boolean {
  try {
    const sample = objects.beginning(stream, SAMPLE_BYTES);
    const isFlate = filters[0] === 'FlateDecode' || filters[0] === 'Fl';
    const shown = isFlate ? beginningOf(sample, SAMPLE_BYTES * LARGEST_RATIO).bytes : sample;
    return isLikeWords(shown);
  } catch {
    return false;
  }
}
