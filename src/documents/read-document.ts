import { isUtf8 } from 'node:buffer';
import { textOfBytes, type CodedText } from '../core/index.js';
import { filesIn, withoutSpaces } from './files-in-text.js';
import { wrappedFiles } from './formats/compound-files.js';
import { charsetsIn, inDeclaredCharsets } from './formats/declared-charsets.js';
import { mailTexts } from './formats/mail.js';
import { declaresEntities, markupTexts, type MarkupTexts } from './formats/markup.js';
import { WordlessParts } from './formats/office-binaries.js';
import { placeOfPart } from './formats/office-places.js';
import { embeddedObject } from './formats/ole-objects.js';
import { packedWithoutHead, unpack, type PackedFormat } from './formats/packed.js';
import { readPdf, type Attachments } from './formats/pdf.js';
import { isLikeWords, isMostlyPrintable, isUniform, piecesOfText } from './formats/pieces-of-text.js';
import { rtfObjects } from './formats/rtf-objects.js';
import { bitmapFile, isPict } from './formats/rtf-pictures.js';
import { rtfTexts } from './formats/rtf.js';
import { Sheets } from './formats/spreadsheet.js';
import { isWellFormedXml } from './formats/well-formed.js';
import { restOfMedia } from './formats/whole-media.js';
import { zipContents, type ZipMember } from './formats/zip.js';
import {
  DEFAULT_DOCUMENT_LIMITS,
  MAX_DEPTH,
  OverLimit,
  placeIn,
  ReadingCollector,
  type DocumentLimits,
  type DocumentReading,
  type DocumentUnreadWhy,
} from './reading.js';
import { documentFormatsOf, mediaTypeOf, textFormatsOf, type DocumentFormat } from './recognise.js';

/**
 * Reads all texts of a document and lists its unread parts. Bytes that are valid in several formats are read as each of them. Never
 * throws: malformed or encrypted parts and those over a limit are reported as unread, and nothing is silently skipped.
 *
 * The plain text of a text file is not part of the result: the caller reads it itself and can mask it in place.
 */
export async function readDocument(bytes: Buffer, limits: Partial<DocumentLimits> = {}): Promise<DocumentReading> {
  const collector = new ReadingCollector({ ...DEFAULT_DOCUMENT_LIMITS, ...limits }, bytes.length);
  const reader = new DocumentReaderRun(collector);
  try {
    await reader.read(bytes, '', 0, true);
  } catch (error) {
    collector.reportUnread('', error instanceof OverLimit ? 'limit' : 'malformed', bytes.length);
  }
  return collector.reading;
}

/** Types of images whose pixels can be uncompressed: the bytes of dark colours are printable characters. */
const UNCOMPRESSED: ReadonlySet<string> = new Set(['image/bmp', 'image/tiff']);
/** Matches a text that begins with a tag, a declaration, a comment or an instruction. */
const BEGINS_AS_MARKUP = /^\ufeff?\s*<[?!\w\u0080-\uffff]/;
/** Matches what can begin a tag, a declaration, a comment or an instruction. */
const MAYBE_TAG = /<(?:[?!]|\/?[a-z_\u0080-\uffff])/i;
/** Matches names that are not names in HTML, and empty elements of XML that have no end in HTML. */
const READ_DIFFERENTLY_AS_XML =
  /<(?:[_\u0080-\uffff]|(?:iframe|noembed|noframes|plaintext|script|style|textarea|title|xmp)(?:\s[^<>]{0,1000})?\/>)/i;

class DocumentReaderRun {
  constructor(private readonly collector: ReadingCollector) {}

  /** @param isWhole true for the document itself, whose plain text the caller already has */
  async read(bytes: Buffer, place: string, depth: number, isWhole = false): Promise<void> {
    const { collector } = this;
    if (bytes.length === 0) return;
    const formats = documentFormatsOf(bytes);
    if (depth > MAX_DEPTH && formats.length > 0) return collector.reportUnread(place, 'limit', bytes.length);
    const media = mediaTypeOf(bytes);
    // Text may begin like an image or a font.
    const coded = textOfBytes(bytes);
    const text = coded?.text;
    if (text !== undefined) await this.readText(text, place, depth, isWhole);
    if (coded !== undefined) this.readDeclared(bytes, coded, place, charsetsIn(coded.text));
    if (media !== undefined && text === undefined) await this.readMedia(bytes, media, place, depth);
    for (const format of formats) await this.readFormat(format, bytes, place, depth, text !== undefined);
    if (formats.length > 0 || media !== undefined) return;
    const packed = isUtf8(bytes) || depth > MAX_DEPTH ? undefined : packedWithoutHead(bytes, collector.roomBytes);
    if (packed !== undefined) await this.readFormat(packed, bytes, place, depth, text !== undefined);
    if (packed === undefined && text === undefined) this.readPieces(bytes, place, 'binary');
  }

  /** @param isText the bytes were already read as text, so a failure here leaves nothing unread, unless they contain packed parts */
  private async readFormat(
    format: DocumentFormat | PackedFormat,
    bytes: Buffer,
    place: string,
    depth: number,
    isText: boolean,
  ): Promise<void> {
    try {
      if (format === 'pdf') await readPdf(bytes, place, this.collector, this.attachmentsAt(depth));
      else if (format === 'zip') await this.readArchive(bytes, place, depth, isText);
      else if (isPacked(format)) await this.readPacked(format, bytes, place, depth);
      else if (format === 'ole') await this.readCompound(bytes, place, depth);
      else this.cannotRead(format, bytes, place);
    } catch (error) {
      if (error instanceof OverLimit) throw error;
      if (isText && !containsPacked(format, bytes)) return;
      const isLocked = error instanceof Error && error.name === 'PasswordException';
      this.readPieces(bytes, place, isLocked ? 'encrypted' : 'malformed');
    }
  }

  private async readText(text: string, place: string, depth: number, isWhole: boolean): Promise<void> {
    const { collector } = this;
    // The caller searches the text of the whole document itself.
    if (!isWhole) {
      collector.text(place, text);
      await this.readFilesIn([text], place, depth);
    }
    for (const format of textFormatsOf(text)) {
      collector.formats.add(format);
      if (format === 'rtf') await this.readRtf(text, place, depth);
      else if (format === 'mail') await this.readMail(text, place, depth);
      else await this.readMarkup(text, place, placeIn(place, 'as shown'), depth);
    }
  }

  private async readRtf(text: string, place: string, depth: number): Promise<void> {
    const { collector } = this;
    const { shown, older, seen, decoded, isUnread } = rtfTexts(text);
    collector.text(placeIn(place, 'as shown'), shown);
    if (older !== shown) collector.text(placeIn(place, 'as shown without Unicode'), older);
    for (const one of seen) if (one !== shown) collector.text(placeIn(place, 'as seen'), one);
    for (const one of decoded) if (one !== shown) collector.text(placeIn(place, 'in its declared encoding'), one);
    const { objects, hasBinary } = rtfObjects(text);
    if (isUnread || hasBinary) collector.reportUnread(place, 'malformed', text.length);
    await this.readFilesIn([shown, ...seen], placeIn(place, 'attachments'), depth, text);
    for (const [index, bytes] of objects.entries()) {
      const at = placeIn(place, `object ${index + 1}`);
      const object = embeddedObject(bytes);
      if (object !== undefined) collector.text(placeIn(at, 'names'), object.names);
      for (const file of object?.files ?? [bytes]) await this.readObject(file, at, depth + 1);
    }
  }

  /** Reads a picture or an embedded file of an RTF file. */
  private async readObject(bytes: Buffer, place: string, depth: number): Promise<void> {
    const { collector } = this;
    if (!isPict(bytes)) return this.readAttached(bitmapFile(bytes) ?? bytes, place, depth);
    collector.file(bytes.length);
    collector.media.push({ place, type: 'image/x-pict', bytes: bytes.length });
    if (isMostlyPrintable(bytes)) this.readPieces(bytes, place, 'malformed');
    else collector.text(placeIn(place, 'readable pieces'), piecesOfText(bytes));
  }

  /** Reads a text as readers do that follow its declared encodings. */
  private readDeclared(bytes: Buffer, { coding }: CodedText, place: string, charsets: readonly string[]): void {
    if (coding.name !== 'utf-8' && coding.name !== 'windows-1252') return;
    const { texts, isUnread } = inDeclaredCharsets(bytes, charsets);
    for (const text of texts) this.collector.text(placeIn(place, 'in its declared encoding'), text);
    if (isUnread) this.collector.reportUnread(place, 'malformed', bytes.length);
  }

  private attachmentsAt(depth: number): Attachments {
    return {
      read: (file, at) => this.readAttached(file, at, depth + 1),
      readIn: (texts, at) => this.readFilesIn(texts, at, depth),
    };
  }

  /** Reads the files in base64 in texts. @param searched a text in which all files have been found before */
  private async readFilesIn(texts: readonly string[], place: string, depth: number, searched = ''): Promise<void> {
    // Several readings of a document can contain the same file in lines of different lengths.
    const known = new Set(filesIn(searched).map(({ written }) => withoutSpaces(written)));
    let count = 0;
    for (const { written, bytes } of texts.flatMap(filesIn)) {
      const letters = withoutSpaces(written);
      if (known.has(letters)) continue;
      known.add(letters);
      await this.readAttached(bytes, placeIn(place, `file ${++count}`), depth + 1);
    }
  }

  /** Another reader could read printable bytes, or bytes that only begin like an image or a font, as text: they also count as unread. */
  private async readMedia(bytes: Buffer, type: string, place: string, depth: number): Promise<void> {
    this.collector.media.push({ place, type, bytes: bytes.length });
    const rest = restOfMedia(bytes, type);
    if (rest !== undefined) await this.readRest(rest, placeIn(place, 'after the end'), depth);
    if (rest !== undefined && UNCOMPRESSED.has(type) && (isUniform(bytes) || !isLikeWords(bytes))) return;
    if (isMostlyPrintable(bytes)) this.readPieces(bytes, place, 'malformed');
    else if (rest === undefined) this.readPieces(bytes, place, 'binary');
  }

  private async readRest(rest: Buffer, place: string, depth: number): Promise<void> {
    const text = textOfBytes(rest)?.text;
    if (text === undefined) this.collector.text(place, piecesOfText(rest));
    else await this.readText(text, place, depth, false);
  }

  /** Reads the parts of unread bytes that read like text. */
  private readPieces(bytes: Buffer, place: string, why: DocumentUnreadWhy): void {
    this.collector.text(placeIn(place, 'readable pieces'), piecesOfText(bytes));
    this.collector.reportUnread(place, why, bytes.length);
  }

  private async readMail(mail: string, place: string, depth: number): Promise<void> {
    const { collector } = this;
    const { heads, parts, isUnread } = mailTexts(mail);
    collector.text(placeIn(place, 'heads'), heads);
    await this.readFilesIn([heads], placeIn(place, 'heads'), depth);
    if (isUnread) collector.reportUnread(place, 'malformed', mail.length);
    const charsets = charsetsIn(mail);
    let count = 0;
    for (const part of parts) {
      // Fails closed: the event lists the mail as unread, and the policy's `unread` setting decides about the call.
      if (depth >= MAX_DEPTH) return collector.reportUnread(place, 'limit', mail.length);
      const at = placeIn(place, `part ${++count}`);
      await this.readAttached(part, at, depth + 1);
      const coded = charsets.length === 0 ? undefined : textOfBytes(part);
      if (coded !== undefined) this.readDeclared(part, coded, at, charsets);
    }
    // Parts without a transfer encoding can be HTML.
    if (MAYBE_TAG.test(mail)) await this.readMarkup(mail, place, placeIn(place, 'as shown'), depth);
  }

  /** @param shownAt the place reported for its visible text */
  private async readMarkup(text: string, place: string, shownAt: string, depth: number): Promise<void> {
    const isXml = /^\ufeff?\s*<\?xml/.test(text);
    const isPage = /<html/i.test(text.slice(0, 2_048));
    const shown = markupTexts(text, isXml && !isPage);
    this.addMarkup(shown, place, shownAt);
    // Readers of XML and of HTML differ in where elements begin and end.
    const isAmbiguous = isXml ? isPage : READ_DIFFERENTLY_AS_XML.test(text);
    const asXml = isAmbiguous ? markupTexts(text, true) : shown;
    if (asXml.text !== shown.text || asXml.attributes !== shown.attributes) {
      this.addMarkup(asXml, placeIn(place, 'as XML'), placeIn(place, 'as XML'));
    }
    if (declaresEntities(text)) this.collector.reportUnread(place, 'malformed', text.length);
    const read = [...new Set([shown, asXml])];
    const texts = read.flatMap(({ text: written, embedding }) => [written, ...embedding]);
    // Files in a source that is read as text were found in it, unless they are written in entities or in pieces.
    await this.readFilesIn(texts, placeIn(place, 'attachments'), depth, shownAt === place ? '' : text);
  }

  private addMarkup(read: MarkupTexts, place: string, shownAt: string): void {
    const { collector } = this;
    const { text, seen, spaced, inPlace, attributes, comments } = read;
    collector.text(shownAt, text);
    if (seen !== text) collector.text(placeIn(place, 'as seen'), seen);
    if (spaced !== undefined) collector.text(placeIn(place, 'with white space between runs'), spaced);
    for (const one of inPlace) collector.text(placeIn(place, 'in place'), one);
    collector.text(placeIn(place, 'attributes'), attributes);
    collector.text(placeIn(place, 'comments'), comments);
  }

  private async readPacked(format: PackedFormat, bytes: Buffer, place: string, depth: number): Promise<void> {
    const { collector } = this;
    const { contents, beside } = unpack(format, bytes, collector.roomBytes);
    collector.formats.add(format);
    for (const [index, field] of beside.entries()) {
      await this.readAttached(field, placeIn(place, `beside ${index + 1}`), depth + 1);
    }
    for (const content of contents) await this.readAttached(content, placeIn(place, 'unpacked'), depth + 1);
  }

  private async readAttached(bytes: Buffer, place: string, depth: number): Promise<void> {
    this.collector.file(bytes.length);
    await this.read(bytes, place, depth);
  }

  private async readArchive(bytes: Buffer, place: string, depth: number, isText: boolean): Promise<void> {
    const { collector } = this;
    const { members, comment, ambiguous, outside } = await zipContents(bytes, collector);
    const format = formatOfArchive(members);
    collector.formats.add(format);
    if (ambiguous) collector.reportUnread(place, 'malformed', bytes.length);
    // Any bytes can precede an archive. A reader of another format that they have reads them, or reports them as unread.
    const isAlone = !isText && documentFormatsOf(bytes).length === 1 && mediaTypeOf(bytes) === undefined;
    const loose = [...(isAlone ? outside : []), ...members.flatMap(({ rest }) => rest ?? [])];
    if (loose.length > 0) await this.readOutside(loose, placeIn(place, 'outside of files'), depth);
    collector.text(placeIn(place, 'names of files'), members.map(({ name }) => name).join('\n'));
    const comments = [comment, ...members.map((member) => member.comment)].join('\n');
    collector.text(placeIn(place, 'comments'), comments);
    const extras = members.flatMap(({ extra }) => (extra === '' ? [] : extra)).join('\n');
    collector.text(placeIn(place, 'extra fields'), extras);
    const sheets = new Sheets(members);
    const wordless = new WordlessParts(members, format);
    for (const [index, { name, bytes: content, why, packedBytes }] of members.entries()) {
      const at = placeIn(place, placeOfPart(name, index));
      const kind = content === undefined ? undefined : wordless.kindOf(name, content);
      if (content === undefined) collector.reportUnread(at, why ?? 'malformed', packedBytes);
      else if (kind !== undefined && isUnknown(content))
        await this.readWordless(content, at, depth + 1, kind === 'font');
      else await this.readMember(content, at, depth + 1, sheets, format !== 'zip');
    }
    const { unused } = sheets;
    collector.text(placeIn(place, 'cells that no sheet shows'), unused.join('\n'));
    if (sheets.isAmbiguous && format !== 'zip') collector.reportUnread(place, 'malformed', bytes.length);
    await this.readFilesIn([comments, extras, ...unused], placeIn(place, 'attachments'), depth + 1);
  }

  /**
   * Reads the bytes that belong to no part of an archive, such as a script before it that unpacks it. Other bytes, such as a program that
   * unpacks it or the signatures of an Android package, count as unread.
   */
  private async readOutside(outside: readonly Buffer[], place: string, depth: number): Promise<void> {
    const unknown: Buffer[] = [];
    for (const bytes of outside) {
      const text = textOfBytes(bytes)?.text;
      if (text === undefined) unknown.push(bytes);
      else await this.readText(text, place, depth, false);
    }
    if (unknown.length > 0) this.readPieces(Buffer.concat(unknown), place, 'archive');
  }

  /** Reads a part without words, unless its bytes are also a compressed file. */
  private async readWordless(bytes: Buffer, place: string, depth: number, isFont: boolean): Promise<void> {
    const { collector } = this;
    const packed = packedWithoutHead(bytes, collector.roomBytes);
    if (packed !== undefined && depth > MAX_DEPTH) return this.readPieces(bytes, place, 'limit');
    if (packed !== undefined) return this.readFormat(packed, bytes, place, depth, false);
    if (isMostlyPrintable(bytes)) return this.readPieces(bytes, place, 'malformed');
    const pieces = piecesOfText(bytes);
    collector.text(place, pieces);
    await this.readFilesIn([pieces], placeIn(place, 'attachments'), depth);
    if (isFont) collector.media.push({ place, type: 'font', bytes: bytes.length });
  }

  /** @param isOffice whether the archive is a file of an Office program or a book, whose parts are XML */
  private async readMember(
    bytes: Buffer,
    place: string,
    depth: number,
    sheets: Sheets,
    isOffice: boolean,
  ): Promise<void> {
    const { collector } = this;
    const coded = documentFormatsOf(bytes).length > 0 ? undefined : textOfBytes(bytes);
    const text = coded?.text;
    const isMarkup = text !== undefined && BEGINS_AS_MARKUP.test(text);
    // Of a sound part, only the texts are read, not the names of elements. Readers show different parts of other markup, or its source.
    const isSound = isMarkup && isOffice && isWellFormedXml(text);
    if (!isSound) await this.read(bytes, place, depth);
    if (coded === undefined || !isMarkup) return;
    if (isSound) this.readDeclared(bytes, coded, place, charsetsIn(text));
    const cells = sheets.isSheet(text) ? sheets.read(text, collector.roomChars) : undefined;
    if (cells !== undefined) {
      collector.text(place, cells.text);
      await this.readFilesIn(cells.embedding, placeIn(place, 'attachments'), depth, isSound ? '' : text);
    }
    if (!isSound) return;
    if (cells?.hasOthers ?? !sheets.isRead(bytes)) await this.readMarkup(text, place, place, depth);
    else await this.readBesideCells(text, place, depth);
  }

  /** Reads what a part contains besides the texts that are read in cells. */
  private async readBesideCells(text: string, place: string, depth: number): Promise<void> {
    const { attributes, embedding, comments } = markupTexts(text, true);
    this.collector.text(placeIn(place, 'attributes'), attributes);
    this.collector.text(placeIn(place, 'comments'), comments);
    await this.readFilesIn(embedding, placeIn(place, 'attachments'), depth);
  }

  /** Reads a compound file if it only wraps other files. */
  private async readCompound(bytes: Buffer, place: string, depth: number): Promise<void> {
    const wrapped = wrappedFiles(bytes);
    if (wrapped === undefined) return this.cannotRead('ole', bytes, place);
    this.collector.formats.add('ole');
    this.collector.text(placeIn(place, 'readable pieces'), piecesOfText(bytes));
    for (const file of wrapped.files) await this.readAttached(file, placeIn(place, 'wrapped'), depth + 1);
    for (const part of wrapped.beside) {
      await this.readAttached(bitmapFile(part) ?? part, placeIn(place, 'beside'), depth + 1);
    }
  }

  private cannotRead(format: DocumentFormat, bytes: Buffer, place: string): void {
    this.collector.formats.add(format);
    const isLocked = bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'));
    this.readPieces(bytes, place, isLocked ? 'encrypted' : format === 'archive' ? 'archive' : 'document');
  }
}

/** Whether bytes that also read as text contain parts that only a reader of the format can unpack. */
function containsPacked(format: DocumentFormat | PackedFormat, bytes: Buffer): boolean {
  return format === 'zip' || (format === 'pdf' && bytes.includes('endobj') && bytes.includes('endstream'));
}

/** Whether bytes are neither text nor a document, such as a font. */
function isUnknown(bytes: Buffer): boolean {
  return documentFormatsOf(bytes).length === 0 && textOfBytes(bytes) === undefined;
}

function formatOfArchive(members: readonly ZipMember[]): string {
  const names = new Set(members.map(({ name }) => name));
  if (names.has('[Content_Types].xml')) {
    const main = [...names].find((name) => /^(?:word|xl|ppt)\//.test(name)) ?? '';
    return ({ word: 'docx', xl: 'xlsx', ppt: 'pptx' } as Record<string, string>)[main.split('/', 1)[0]!] ?? 'opc';
  }
  if (names.has('META-INF/container.xml')) return 'epub';
  return names.has('mimetype') && names.has('content.xml') ? 'odf' : 'zip';
}

function isPacked(format: DocumentFormat | PackedFormat): format is PackedFormat {
  return ['gzip', 'zlib', 'zstd', 'deflate', 'brotli'].includes(format);
}
