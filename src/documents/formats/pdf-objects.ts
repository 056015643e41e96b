import { OverLimit } from '../reading.js';
import { pdfCiphers, type PdfCiphers } from './pdf-encryption.js';
import { PDF_FILTERS, unpredicted } from './pdf-filters.js';
import {
  isPdfDictionary,
  isPdfList,
  NestedTooDeeply,
  pdfBytesOf,
  pdfNameOf,
  pdfObjectOf,
  PdfSyntax,
  type PdfDictionary,
  type PdfValue,
} from './pdf-syntax.js';

/** An object of the file itself, not of an object stream. */
export interface PdfObject {
  /** `NO_OBJECT` if the object has no number. */
  readonly number: number;
  readonly generation: number;
  readonly value: PdfValue;
}

export interface PdfStreamObject extends PdfObject {
  readonly about: PdfDictionary;
  /** Offset of its first byte. */
  readonly start: number;
}

/** Objects are numbered from one. */
export const NO_OBJECT = 0;

const STREAM_END = 'endstream';
const LINE_END = /[^\r\n]*(?:\r\n?|\n)/y;
const LINE_END_BYTES = 2;
const OBJECT_HEAD = /(\d{1,10})[\0\t\n\f\r ]+(\d{1,5})[\0\t\n\f\r ]*$/;
/** Characters before `obj` in which its number is searched for. */
const LONGEST_HEAD = 40;
/** The number of times that a whole file may be read: objects can overlap. */
const READ_OVER = 8;
const PNG_PREDICTORS = 10;
/** Maximum number of filters of a stream: each can cost as much as the whole stream, and usual streams have at most three. */
const MOST_FILTERS = 16;

/**
 * The objects of a PDF file. They are searched for in the whole file instead of in its cross-reference tables, because readers differ in
 * which table they use if tables are damaged or appended.
 */
export class PdfObjects {
  /** The file, one character per byte. */
  readonly file: string;
  readonly written: PdfObject[] = [];
  readonly streams: PdfStreamObject[] = [];
  /** Whether another reader could read more of a stream or a value. */
  isDamaged = false;
  private readonly values = new Map<number, PdfValue[]>();
  private ciphers: PdfCiphers | undefined;
  private patience: number;

  /** @param room maximum bytes of all unpacked streams */
  constructor(
    readonly bytes: Buffer,
    private room: number,
  ) {
    this.file = bytes.toString('latin1');
    this.patience = bytes.length * READ_OVER;
    this.find();
  }

  get isDecrypted(): boolean {
    return this.ciphers !== undefined;
  }

  /** Reads the next value; undefined if it has no end. @throws OverLimit if too much is read again and again */
  valueAt(syntax: PdfSyntax): PdfValue {
    const start = syntax.at;
    try {
      return syntax.value();
    } catch (error) {
      if (error instanceof NestedTooDeeply) this.isDamaged = true;
      // These bytes are not a value: parts of a file can look like the beginning of one.
      return undefined;
    } finally {
      this.charge(Math.max(syntax.at, syntax.reached) - start);
    }
  }

  /** Adds an object from an object stream. */
  add(number: number, value: PdfValue): void {
    const known = this.values.get(number);
    if (known === undefined) this.values.set(number, [value]);
    else known.push(value);
  }

  /** The values of all objects, also of those in object streams that were added. */
  *all(): Generator<PdfValue, void> {
    for (const values of this.values.values()) yield* values;
  }

  /** All objects with this number; there can be several, because an appended part of a file can replace an object. */
  valuesOf(number: number): readonly PdfValue[] {
    return this.values.get(number) ?? [];
  }

  /** The object to which a value refers, if it is the only one with its number; other values as they are. */
  resolved(value: PdfValue): PdfValue {
    const number = pdfObjectOf(value);
    if (number === undefined) return value;
    const found = this.valuesOf(number);
    return found.length === 1 ? found[0] : undefined;
  }

  /** Prepares an encrypted file, before object streams are read. @returns false if the file does not open without a password */
  decrypt(): boolean {
    this.ciphers = this.findCiphers();
    if (this.ciphers === undefined) return false;
    this.values.clear();
    for (const object of this.written) {
      const bytes = this.bytesOf(object.value, object);
      this.add(object.number, bytes === undefined ? object.value : { bytes });
    }
    return true;
  }

  /** The decrypted bytes of a string in an object; undefined for other values. */
  bytesOf(value: PdfValue, { number, generation }: PdfObject): string | undefined {
    const bytes = pdfBytesOf(value);
    if (bytes === undefined) return undefined;
    return this.ciphers?.strings(Buffer.from(bytes, 'latin1'), number, generation).toString('latin1') ?? bytes;
  }

  /** The filters in the order in which readers apply them; undefined if they cannot be determined. */
  filtersOf({ about }: PdfStreamObject): string[] | undefined {
    const given = this.resolved(about.get('Filter') ?? about.get('F'));
    if (given === undefined) return about.has('Filter') ? undefined : [];
    if (isPdfList(given) && given.length > MOST_FILTERS) return undefined;
    const names = (isPdfList(given) ? given : [given]).map((each) => pdfNameOf(this.resolved(each)));
    return names.every((name) => name !== undefined) ? names : undefined;
  }

  /** The first bytes of a stream, decrypted; fewer than `length` if the stream is shorter. */
  beginning(stream: PdfStreamObject, length: number): Buffer {
    const { start, number, generation } = stream;
    const sample = this.bytes.subarray(start, start + length);
    const found = sample.indexOf(STREAM_END);
    const written = sample.subarray(0, this.lengthOf(stream) ?? (found < 0 ? length : found));
    return this.ciphers?.streams(written, number, generation) ?? written;
  }

  /** The unpacked content of a stream. @throws OverLimit; Error if it cannot be unpacked as a whole */
  content(stream: PdfStreamObject, filters: readonly string[] | undefined): Buffer {
    try {
      if (filters === undefined) throw new Error('unknown filters');
      return this.decryptedContent(stream, filters);
    } catch (error) {
      // A damaged stream can be read to the end of the file.
      if (!(error instanceof OverLimit)) this.charge(this.bytes.length - stream.start);
      throw error;
    }
  }

  private decryptedContent(stream: PdfStreamObject, filters: readonly string[]): Buffer {
    const { about, start, number, generation } = stream;
    const found = this.bytes.indexOf(STREAM_END, start);
    const end = this.lengthOf(stream) ?? (found < 0 ? this.bytes.length : found) - start;
    const written = this.bytes.subarray(start);
    this.charge(Math.max(end, found - start));
    // A page without content. Its line end may count as its content.
    if (end <= LINE_END_BYTES && this.file.slice(start, start + end).trim() === '') return written.subarray(0, 0);
    const isPlain =
      filters.some((name, index) => this.isIdentity(name, about, index)) ||
      (this.ciphers?.isMetadataPlain === true && pdfNameOf(about.get('Type')) === 'Metadata');
    if (this.ciphers === undefined || isPlain) return this.unpacked(written, end, about, filters);
    try {
      const plain = this.ciphers.streams(written.subarray(0, end), number, generation);
      return this.unpacked(plain, plain.length, about, filters);
    } catch (error) {
      if (error instanceof OverLimit) throw error;
      // Some streams of an encrypted file are not encrypted, such as its cross-reference streams.
      return this.unpacked(written, end, about, filters);
    }
  }

  /** The declared length of a stream, if the stream ends there. */
  private lengthOf({ about, start }: PdfStreamObject): number | undefined {
    const length = this.resolved(about.get('Length'));
    if (typeof length !== 'number' || !(length >= 0)) return undefined;
    return new PdfSyntax(this.file, start + length).take(STREAM_END) ? length : undefined;
  }

  /** @param written from the first byte of the stream on; it may reach beyond the end */
  private unpacked(written: Buffer, streamEnd: number, about: PdfDictionary, filters: readonly string[]): Buffer {
    let content = written;
    let end = streamEnd;
    for (const [index, name] of filters.entries()) {
      if (this.isIdentity(name, about, index)) continue;
      const filter = PDF_FILTERS.get(name);
      if (filter === undefined) throw new Error('an unknown filter');
      const { bytes, used, isWhole } = filter(content, end, this.room);
      this.charge(isWhole ? used : content.length);
      if (!isWhole) this.isDamaged = true;
      this.room -= bytes.length;
      this.patience += bytes.length * READ_OVER;
      content = this.withoutPrediction(bytes, about, index);
      end = content.length;
    }
    return content.subarray(0, end);
  }

  /** Whether a filter leaves a stream unchanged and, in an encrypted file, also unencrypted (section 7.4.10). */
  private isIdentity(filter: string, about: PdfDictionary, index: number): boolean {
    if (filter !== 'Crypt') return false;
    const settings = this.settingsOf(about, index);
    return isPdfDictionary(settings) && pdfNameOf(this.resolved(settings.get('Name'))) === 'Identity';
  }

  /** The parameters of a filter. */
  private settingsOf(about: PdfDictionary, index: number): PdfValue {
    const given = this.resolved(about.get('DecodeParms') ?? about.get('DP'));
    return isPdfList(given) ? this.resolved(given[index]) : index === 0 ? given : undefined;
  }

  /** @throws Error for unknown parameters of a filter */
  private withoutPrediction(bytes: Buffer, about: PdfDictionary, index: number): Buffer {
    const settings = this.settingsOf(about, index);
    if (!isPdfDictionary(settings)) return bytes;
    const setting = (name: string, usual: number): number => {
      const value = this.resolved(settings.get(name));
      return typeof value === 'number' ? value : usual;
    };
    if (setting('EarlyChange', 1) === 0) throw new Error('unknown LZW');
    const predictor = setting('Predictor', 1);
    if (predictor <= 1 || bytes.length === 0) return bytes;
    if (predictor < PNG_PREDICTORS) throw new Error('an unknown prediction');
    const pixelBits = setting('Colors', 1) * setting('BitsPerComponent', 8);
    const rowBytes = Math.ceil((pixelBits * setting('Columns', 1)) / 8);
    if (!(rowBytes > 0 && rowBytes <= bytes.length)) throw new Error('rows without an end');
    return unpredicted(bytes, rowBytes, Math.max(1, pixelBits >> 3));
  }

  private charge(length: number): void {
    this.patience -= length;
    if (this.patience < 0) throw new OverLimit();
  }

  private find(): void {
    const { file } = this;
    for (let at = file.indexOf('obj'); at >= 0; at = file.indexOf('obj', at + 3)) {
      if (file.startsWith('end', at - 3)) continue;
      const head = OBJECT_HEAD.exec(file.slice(Math.max(0, at - LONGEST_HEAD), at));
      const syntax = new PdfSyntax(file, at + 3);
      const value = this.valueAt(syntax);
      const object = { number: Number(head?.[1] ?? NO_OBJECT), generation: Number(head?.[2] ?? 0), value };
      this.written.push(object);
      this.add(object.number, value);
      if (!isPdfDictionary(value) || !syntax.take('stream')) continue;
      LINE_END.lastIndex = syntax.at;
      const line = LINE_END.exec(file)?.[0].length ?? 0;
      this.charge(line);
      this.streams.push({ ...object, about: value, start: syntax.at + line });
    }
  }

  /** The ciphers of the file; undefined unless all its trailers agree, because readers differ in which trailer they use. */
  private findCiphers(): PdfCiphers | undefined {
    const ends: PdfValue[] = this.streams.map(({ about }) => about);
    for (let at = this.file.indexOf('trailer'); at >= 0; at = this.file.indexOf('trailer', at + 1)) {
      ends.push(this.valueAt(new PdfSyntax(this.file, at + 'trailer'.length)));
    }
    const found = ends.filter(isPdfDictionary).filter((end) => end.has('Encrypt'));
    const encrypts = new Set(found.map((end) => this.resolved(end.get('Encrypt'))));
    const ids = new Set(found.map((end) => this.idOf(end)));
    const [encrypt] = encrypts;
    const [id = ''] = ids;
    const contents = new Set([...encrypts].map(comparable));
    if (contents.size !== 1 || ids.size !== 1 || !isPdfDictionary(encrypt)) return undefined;
    try {
      return pdfCiphers(encrypt, Buffer.from(id, 'latin1'));
    } catch {
      // The platform does not offer a cipher, or a key has an impossible length.
      return undefined;
    }
  }

  private idOf(end: PdfDictionary): string {
    const parts = this.resolved(end.get('ID'));
    return (isPdfList(parts) ? pdfBytesOf(this.resolved(parts[0])) : undefined) ?? '';
  }
}

/** A text that is the same for equal values. */
function comparable(value: PdfValue): string {
  return JSON.stringify([value], (_, each: unknown) => (each instanceof Map ? { entries: [...each] } : each));
}
