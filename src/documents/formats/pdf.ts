import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { dirname, join, sep } from 'node:path';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import { placeIn, type ReadingCollector } from '../reading.js';
import { markupTexts } from './markup.js';
import { drawnTexts } from './pdf-drawn.js';
import { hidesPages } from './pdf-pages.js';
import { pdfReplacements, type PdfReplacements } from './pdf-replacements.js';
import { lettersJoined, type PlacedText } from './single-letters.js';

/** Reads the files that a document contains. */
export interface Attachments {
  /** Reads an attached file. */
  readonly read: (bytes: Buffer, place: string) => Promise<void>;
  /** Reads the files that texts contain in base64. */
  readonly readIn: (texts: readonly string[], place: string) => Promise<void>;
}

/** Reads the files of a document, and knows which strings of it have been read. */
interface Reading extends Attachments {
  readonly said: Set<string>;
}

const HEADER = '%PDF-';
/** pdfjs searches for the header within this range. */
const HEAD_BYTES = 1_024;
/** The beginning of an object. */
const OBJECT = /\d[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]*obj(?![A-Za-z])/;
/** Glyphs for which the file does not define a character. */
const NO_LETTERS = /[\p{Co}\p{Cn}\ufffd\0-\x08]/gu;
/** Keys whose values are terms of the format and not text. */
const NO_TEXTS = new Set([
  'id',
  'subtype',
  'fieldType',
  'annotationType',
  'borderStyle',
  'checkBoxType',
  'parentId',
  'role',
  'type',
  'fontName',
]);

/**
 * Reads the texts of a PDF file: pages in file order and in visual order, notes, fields, links, outlines, properties, scripts, texts that
 * replace or describe drawn content, attached files.
 * @throws Error for a file that cannot be opened
 */
export async function readPdf(
  bytes: Buffer,
  place: string,
  collector: ReadingCollector,
  attachments: Attachments,
): Promise<void> {
  const pdfjs = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const isOutOfReach = beginsOutOfReach(bytes);
  const home = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  const loading = pdfjs.getDocument({
    // A copy, because pdfjs detaches the buffer that it receives.
    data: new Uint8Array(isOutOfReach ? Buffer.concat([Buffer.from(`${HEADER}1.7\n`), bytes]) : bytes),
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    stopAtErrors: true,
    enableXfa: true,
    maxImageSize: 1,
    cMapUrl: join(home, 'cmaps') + sep,
    cMapPacked: true,
    standardFontDataUrl: join(home, 'standard_fonts') + sep,
    verbosity: pdfjs.VerbosityLevel.ERRORS,
  } as Parameters<typeof pdfjs.getDocument>[0]);
  try {
    const pdf = await loading.promise;
    // The positions in the file's table are no longer right, so other versions of objects may be read than by readers of the table.
    if (isOutOfReach) collector.reportUnread(place, 'malformed', bytes.length);
    await readOpened(pdf, bytes, place, collector, attachments);
  } finally {
    await loading.destroy();
  }
}

/** Whether an object begins where pdfjs does not read it: before the header, or at the first byte of a file without header. */
function beginsOutOfReach(bytes: Buffer): boolean {
  const head = bytes.toString('latin1', 0, HEAD_BYTES);
  const start = head.indexOf(HEADER);
  const object = OBJECT.exec(start < 0 ? head : head.slice(0, start));
  return object !== null && (start >= 0 || /^\d*$/.test(head.slice(0, object.index)));
}

async function readOpened(
  pdf: PDFDocumentProxy,
  bytes: Buffer,
  place: string,
  collector: ReadingCollector,
  attachments: Attachments,
): Promise<void> {
  collector.formats.add('pdf');
  const known = new Set<string>();
  const reading: Reading = {
    ...attachments,
    said: new Set(),
    read: async (file, at) => {
      known.add(digestOf(file));
      await attachments.read(file, at);
    },
  };
  for (const [name, read] of aboutDocument(pdf, known)) {
    const at = placeIn(place, name);
    const texts = await read().catch(() => undefined);
    if (texts === undefined) collector.reportUnread(at, 'malformed', 0);
    else await addTexts(texts, at, collector, reading);
  }
  await readAttachments(pdf, place, collector, reading);
  const last = Math.min(pdf.numPages, collector.limits.pages);
  const mediaBefore = collector.media.length;
  const read = await readPages(pdf, last, place, collector, reading);
  const replacements = pdfReplacements(bytes, collector.roomBytes, await isEncrypted(pdf));
  // Pages without text already count as images.
  const isCounted = collector.media.slice(mediaBefore).some(({ type }) => type === 'image');
  if (replacements.hasImages && !isCounted)
    collector.media.push({ place: placeIn(place, 'images'), type: 'image', bytes: 0 });
  await readReplacements(replacements, known, bytes, place, collector, reading);
  if (pdf.numPages > last) collector.reportUnread(placeIn(place, `page ${last + 1} and later`), 'limit', bytes.length);
  else if (replacements.pages !== undefined && hidesPages(replacements.pages, read, last))
    collector.reportUnread(placeIn(place, 'other pages'), 'malformed', bytes.length);
}

/** Reads the pages up to the number `last`. Returns the numbers of the objects that describe them. */
async function readPages(
  pdf: PDFDocumentProxy,
  last: number,
  place: string,
  collector: ReadingCollector,
  reading: Reading,
): Promise<Set<number>> {
  const read = new Set<number>();
  for (let number = 1; number <= last; number++) {
    const at = placeIn(place, `page ${number}`);
    try {
      const page = await pdf.getPage(number);
      const object = page.ref?.num;
      if (object !== undefined) read.add(object);
      await readPage(pdf, page, at, collector, reading);
      page.cleanup();
    } catch (error) {
      if (error instanceof Error && error.name === 'OverLimit') throw error;
      collector.reportUnread(at, 'malformed', 0);
    }
  }
  return read;
}

/** @param known receives the digest of the metadata */
function aboutDocument(pdf: PDFDocumentProxy, known: Set<string>): (readonly [string, () => Promise<string[]>])[] {
  return [
    [
      'properties',
      async () => {
        const { info, metadata } = await pdf.getMetadata();
        const raw = stringsIn((metadata as { getRaw?: () => unknown } | null)?.getRaw?.() ?? []);
        for (const one of raw) known.add(digestOf(Buffer.from(one)));
        return [...stringsIn(info), ...raw, ...raw.flatMap(textsOfXml)];
      },
    ],
    ['outline', async () => stringsIn(await pdf.getOutline())],
    ['fields', async () => stringsIn(await pdf.getFieldObjects())],
    ['scripts', async () => stringsIn(await pdf.getJSActions())],
    ['page labels', async () => stringsIn(await pdf.getPageLabels())],
    ['form', async () => (pdf.isPureXfa ? stringsIn(await Promise.resolve(pdf.allXfaHtml)) : [])],
  ];
}

interface Attached {
  readonly filename?: string;
  readonly description?: string;
}

async function readAttachments(
  pdf: PDFDocumentProxy,
  place: string,
  collector: ReadingCollector,
  reading: Reading,
): Promise<void> {
  const attached = [...(((await pdf.getAttachments()) ?? new Map()) as ReadonlyMap<string, Attached>)];
  for (const [index, [id, about]] of attached.entries()) {
    const at = placeIn(place, `attachment ${index + 1}`);
    const names = [id, ...stringsIn(about)];
    collector.text(placeIn(at, 'name'), names.join('\n'));
    for (const name of names) reading.said.add(name);
    await readAttachment(pdf, id, at, collector, reading);
  }
}

async function readAttachment(
  pdf: PDFDocumentProxy,
  id: string,
  place: string,
  collector: ReadingCollector,
  attachments: Attachments,
): Promise<void> {
  const content = (await pdf.getAttachmentContent(id)) as Uint8Array | null | undefined;
  if (content) await attachments.read(Buffer.from(content), place);
  else collector.reportUnread(place, 'malformed', 0);
}

/**
 * Reads the texts and embedded files that pdfjs does not return.
 * @param known the digests of the files that have been read
 */
async function readReplacements(
  found: PdfReplacements,
  known: ReadonlySet<string>,
  bytes: Buffer,
  place: string,
  collector: ReadingCollector,
  reading: Reading,
): Promise<void> {
  const at = placeIn(place, 'replacement texts');
  const { texts, strings, files, unread } = found;
  // Some readers join consecutive texts, such as single letters.
  collector.text(at, [...new Set([texts.join('\n'), texts.join('')])].join('\n'));
  await reading.readIn(texts, placeIn(at, 'attachments'));
  for (const text of texts) reading.said.add(text);
  const others = [...strings].filter((text) => !reading.said.has(text));
  await addTexts(others, placeIn(place, 'other strings'), collector, reading);
  if (unread !== undefined) collector.reportUnread(at, unread, bytes.length);
  for (const file of files) {
    if (!known.has(digestOf(file))) await reading.read(file, placeIn(place, `attachment ${known.size + 1}`));
  }
}

/** Adds texts, and reads the files that they contain in base64. */
async function addTexts(
  texts: readonly string[],
  place: string,
  collector: ReadingCollector,
  reading: Reading,
): Promise<void> {
  for (const text of texts) reading.said.add(text);
  collector.text(place, texts.join('\n'));
  await reading.readIn(texts, placeIn(place, 'attachments'));
}

async function isEncrypted(pdf: PDFDocumentProxy): Promise<boolean> {
  const about = await pdf.getMetadata().catch(() => undefined);
  return typeof (about?.info as { EncryptFilterName?: unknown } | undefined)?.EncryptFilterName === 'string';
}

interface Annotated {
  readonly fileId?: string;
  readonly richMedia?: { readonly fileId?: string };
}

async function readPage(
  pdf: PDFDocumentProxy,
  page: PDFPageProxy,
  place: string,
  collector: ReadingCollector,
  reading: Reading,
): Promise<void> {
  const { items } = await page.getTextContent({ includeMarkedContent: false });
  const pieces = items.filter((item) => 'str' in item);
  const written = pieces.map(({ str, hasEOL }) => str + (hasEOL ? '\n' : '')).join('');
  const bytes = written.length;
  if ((written.match(NO_LETTERS)?.length ?? 0) * 5 > bytes) collector.reportUnread(place, 'malformed', bytes);
  if (!/\S/.test(written)) collector.media.push({ place, type: 'image', bytes: 0 });
  collector.text(place, written);
  const { drawn, isIncomplete } = await drawnTexts(page);
  if (isIncomplete) collector.reportUnread(place, 'malformed', bytes);
  const readings = [written];
  // pdfjs omits text drawn outside the page, while other readers include it.
  if (withoutSpaces(drawn.join('')) !== withoutSpaces(written)) {
    collector.text(placeIn(place, 'as drawn'), `${drawn.join('\n')}\n${drawn.join('')}`);
    readings.push(drawn.join(''));
  }
  const seen = asSeen(pieces);
  if (withoutSpaces(seen) !== withoutSpaces(written)) {
    collector.text(placeIn(place, 'as seen'), seen);
    readings.push(seen);
  }
  const joined = lettersJoined(pieces);
  collector.text(placeIn(place, 'letters joined'), joined);
  await reading.readIn([...readings, joined], placeIn(place, 'attachments'));
  const annotations = (await page.getAnnotations({ intent: 'any' })) as readonly Annotated[];
  for (const { fileId, richMedia } of annotations) {
    const id = fileId ?? richMedia?.fileId;
    if (id !== undefined) await readAttachment(pdf, id, placeIn(place, 'attachment'), collector, reading);
  }
  await addTexts(stringsIn(annotations), placeIn(place, 'notes and fields'), collector, reading);
  const alternatives = stringsIn(await page.getStructTree());
  await addTexts(alternatives, placeIn(place, 'alternative texts'), collector, reading);
  await addTexts(stringsIn(await page.getJSActions()), placeIn(place, 'scripts'), collector, reading);
}

/** The text of a page line by line from the top, left to right, regardless of the order in the file. */
function asSeen(pieces: readonly unknown[]): string {
  const placed = (pieces as readonly PlacedText[])
    .filter(({ str }) => str !== '')
    .map((piece) => ({ ...piece, x: piece.transform[4] ?? 0, y: Math.round((piece.transform[5] ?? 0) / 3) }))
    .sort((left, right) => right.y - left.y || left.x - right.x);
  let text = '';
  let before: (typeof placed)[number] | undefined;
  for (const piece of placed) {
    if (before !== undefined && before.y !== piece.y) text += '\n';
    else if (before !== undefined && piece.x - (before.x + before.width) > piece.height / 4) text += ' ';
    text += piece.str;
    before = piece;
  }
  return text;
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The texts of XML in addition to its source. */
function textsOfXml(xml: string): string[] {
  const { text, attributes } = markupTexts(xml, true);
  return [text, attributes].filter((one) => /\S/.test(one));
}

function withoutSpaces(text: string): string {
  return text.replace(/\s+/g, '');
}

/** Every string in a value, at any depth. */
function stringsIn(value: unknown, into: string[] = []): string[] {
  if (typeof value === 'string') {
    if (value !== '') into.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) stringsIn(item, into);
  } else if (value instanceof Map) {
    for (const item of value.values()) stringsIn(item, into);
  } else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)) {
    for (const [key, item] of Object.entries(value)) if (!NO_TEXTS.has(key)) stringsIn(item, into);
  }
  return into;
}
