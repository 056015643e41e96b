/** Small documents with given texts in given places, as programs write them. */
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

/** A ZIP archive of compressed files; with `stored` they are not compressed. */
export function zipOf(
  files: Readonly<Record<string, string | Buffer>>,
  options: { stored?: boolean; comment?: string } = {},
): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const { local, entry } = zipEntry(name, Buffer.from(content), offset, options.stored === true);
    locals.push(local);
    directory.push(entry);
    offset += local.length;
  }
  const comment = Buffer.from(options.comment ?? '');
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  end.writeUInt16LE(comment.length, 20);
  return Buffer.concat([...locals, ...directory, end, comment]);
}

export function zipEntry(
  name: string,
  content: Buffer,
  offset: number,
  isStored = false,
  flags = 0x800,
): { local: Buffer; entry: Buffer } {
  const packed = isStored ? content : deflateRawSync(content);
  const fields = Buffer.alloc(26);
  fields.writeUInt16LE(20, 0);
  fields.writeUInt16LE(flags, 2);
  fields.writeUInt16LE(isStored ? 0 : 8, 4);
  fields.writeUInt32LE(crc32(content), 10);
  fields.writeUInt32LE(packed.length, 14);
  fields.writeUInt32LE(content.length, 18);
  fields.writeUInt16LE(Buffer.byteLength(name), 22);
  const places = Buffer.alloc(14);
  places.writeUInt32LE(offset, 10);
  return {
    local: Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, Buffer.from(name), packed]),
    entry: Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), fields, places, Buffer.from(name)]),
  };
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const TYPES = `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`;

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

export interface DocxTexts {
  /** Paragraphs, each of consecutive runs. */
  readonly paragraphs?: readonly (readonly string[])[];
  readonly comment?: string;
  readonly header?: string;
  readonly footnote?: string;
  readonly hidden?: string;
  readonly title?: string;
  readonly alternative?: string;
}

export function docxOf(texts: DocxTexts): Buffer {
  const run = (text: string): string =>
    `<w:r w:rsidR="00AB12CD"><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`;
  const paragraph = (runs: readonly string[]): string => `<w:p>${runs.map(run).join('')}</w:p>`;
  const part = (root: string, inner: string): string =>
    `${XML}<w:${root} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:wp="urn:schemas-microsoft-com:office:word">${inner}</w:${root}>`;
  const hidden =
    texts.hidden === undefined
      ? ''
      : `<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>${escapeXml(texts.hidden)}</w:t></w:r></w:p>`;
  const picture =
    texts.alternative === undefined
      ? ''
      : `<w:p><w:drawing><wp:docPr id="1" name="Picture 1" descr="${escapeXml(texts.alternative)}"/></w:drawing></w:p>`;
  const one = (name: string, root: string, text: string | undefined): Record<string, string> =>
    text === undefined ? {} : { [name]: part(root, paragraph([text])) };
  return zipOf({
    '[Content_Types].xml': TYPES,
    'word/document.xml': part(
      'document',
      `<w:body>${(texts.paragraphs ?? []).map(paragraph).join('')}${hidden}${picture}</w:body>`,
    ),
    ...one('word/comments.xml', 'comments', texts.comment),
    ...one('word/header1.xml', 'hdr', texts.header),
    ...one('word/footnotes.xml', 'footnotes', texts.footnote),
    ...propertiesOf(texts.title),
  });
}

function propertiesOf(title: string | undefined): Record<string, string> {
  if (title === undefined) return {};
  return {
    'docProps/core.xml': `${XML}<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${escapeXml(title)}</dc:title></cp:coreProperties>`,
  };
}

/** A Word document with one paragraph of these runs. */
export function wordOf(runs: string): Buffer {
  const space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
  return zipOf({
    '[Content_Types].xml': TYPES,
    'word/document.xml': `${XML}<w:document ${space}><w:body><w:p>${runs}</w:p></w:body></w:document>`,
  });
}

/** An Excel workbook with one sheet of one cell. */
export function sheetOf({ cell = '', after = '', strings = '' }: Record<string, string>): Buffer {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  return zipOf({
    '[Content_Types].xml': TYPES,
    'xl/sharedStrings.xml': `${XML}<sst ${main}>${strings}</sst>`,
    'xl/worksheets/sheet1.xml': `${XML}<worksheet ${main}><sheetData><row>${cell}</row></sheetData>${after}</worksheet>`,
  });
}

export interface SheetTexts {
  readonly rows: readonly (readonly (string | number)[])[];
  readonly hidden?: boolean;
}

/** An Excel workbook whose texts are shared strings, as Excel writes them. */
export function xlsxOf(sheets: readonly SheetTexts[], furtherStrings: readonly string[] = []): Buffer {
  const strings: string[] = [...furtherStrings];
  const cell = (value: string | number): string => {
    if (typeof value === 'number') return `<c r="A1"><v>${value}</v></c>`;
    strings.push(value);
    return `<c r="A1" t="s"><v>${strings.length - 1}</v></c>`;
  };
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const parts = sheets.map(
    ({ rows }) =>
      `${XML}<worksheet ${main}><sheetData>${rows.map((row) => `<row r="1">${row.map(cell).join('')}</row>`).join('')}</sheetData></worksheet>`,
  );
  const states = sheets.map(
    ({ hidden }, index) => `<sheet name="Sheet${index + 1}" sheetId="${index + 1}"${hidden ? ' state="hidden"' : ''}/>`,
  );
  return zipOf({
    '[Content_Types].xml': TYPES,
    'xl/workbook.xml': `${XML}<workbook ${main}><sheets>${states.join('')}</sheets></workbook>`,
    'xl/sharedStrings.xml': `${XML}<sst ${main}>${strings.map((text) => `<si><t>${escapeXml(text)}</t></si>`).join('')}</sst>`,
    ...Object.fromEntries(parts.map((xml, index) => [`xl/worksheets/sheet${index + 1}.xml`, xml])),
  });
}

export function pptxOf(slides: readonly { readonly text: string; readonly notes?: string }[]): Buffer {
  const part = (root: string, text: string): string =>
    `${XML}<p:${root} xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:txBody><a:p><a:r><a:t>${escapeXml(text)}</a:t></a:r></a:p></p:txBody></p:${root}>`;
  return zipOf({
    '[Content_Types].xml': TYPES,
    ...Object.fromEntries(
      slides.flatMap(({ text, notes }, index) => [
        [`ppt/slides/slide${index + 1}.xml`, part('sld', text)],
        ...(notes === undefined ? [] : [[`ppt/notesSlides/notesSlide${index + 1}.xml`, part('notes', notes)] as const]),
      ]),
    ),
  });
}

export interface PdfTexts {
  /** Lines of each page. */
  readonly pages: readonly (readonly string[])[];
  readonly title?: string;
  /** A note on the first page. */
  readonly note?: string;
  /** The value of a field of a form. */
  readonly field?: string;
  /** The name and content of an attached file. */
  readonly attachment?: { readonly name: string; readonly content: Buffer };
  /** Compresses the contents of pages, as most programs do. */
  readonly packed?: boolean;
}

export function pdfOf(texts: PdfTexts): Buffer {
  const objects = new PdfObjects();
  const text = (value: string): string => `(${value.replace(/[\\()]/g, '\\$&')})`;
  const font = objects.add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  const notes =
    texts.note === undefined
      ? []
      : [objects.add(`<< /Type /Annot /Subtype /Text /Rect [0 0 9 9] /Contents ${text(texts.note)} >>`)];
  const field =
    texts.field === undefined
      ? []
      : [objects.add(`<< /Type /Annot /Subtype /Widget /FT /Tx /T (box) /Rect [0 0 90 9] /V ${text(texts.field)} >>`)];
  const pages = objects.reserve();
  const kids = texts.pages.map((lines, index) => {
    const drawn = lines.map((line, at) => `BT /F1 12 Tf 40 ${760 - at * 20} Td ${text(line)} Tj ET`).join('\n');
    const content = objects.stream(Buffer.from(drawn, 'latin1'), texts.packed === true);
    const annotations = index === 0 ? [...notes, ...field].map((ref) => `${ref} 0 R`).join(' ') : '';
    return objects.add(
      `<< /Type /Page /Parent ${pages} 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Annots [${annotations}] /Resources << /Font << /F1 ${font} 0 R >> >> >>`,
    );
  });
  objects.set(pages, `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((ref) => `${ref} 0 R`).join(' ')}] >>`);
  const form = field.length === 0 ? '' : `/AcroForm << /Fields [${field[0]} 0 R] >>`;
  let names = '';
  if (texts.attachment !== undefined) {
    const file = objects.stream(texts.attachment.content, true, '/Type /EmbeddedFile');
    const spec = objects.add(`<< /Type /Filespec /F ${text(texts.attachment.name)} /EF << /F ${file} 0 R >> >>`);
    names = `/Names << /EmbeddedFiles << /Names [${text(texts.attachment.name)} ${spec} 0 R] >> >>`;
  }
  const catalog = objects.add(`<< /Type /Catalog /Pages ${pages} 0 R ${form} ${names} >>`);
  const info = texts.title === undefined ? undefined : objects.add(`<< /Title ${text(texts.title)} >>`);
  return objects.file(catalog, info);
}

/** The content of a PDF file besides a drawing. */
export interface PdfBeside {
  /** Objects with the numbers 1, 2 and so on. */
  readonly objects?: readonly (string | Buffer)[];
  /** Further entries of the page, of its resources and of the catalog. */
  readonly page?: string;
  readonly resources?: string;
  readonly catalog?: string;
  /** Further entries of the trailer. */
  readonly trailer?: string;
  /** Encrypts the drawing. */
  readonly encrypt?: (bytes: Buffer, object: number) => Buffer;
}

/** A stream of a PDF file, with these entries in its dictionary. */
export function pdfStream(content: Buffer, about = ''): Buffer {
  const head = `<< /Length ${content.length} ${about} >>\nstream\n`;
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\nendstream')]);
}

/** A PDF of one page with only this drawing content. */
export function pdfDrawing(drawn: string, beside: PdfBeside = {}): Buffer {
  const objects = new PdfObjects();
  for (const object of beside.objects ?? []) objects.add(object);
  const font = objects.add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  const pages = objects.reserve();
  const content = objects.reserve();
  const packed = deflateSync(Buffer.from(drawn, 'latin1'));
  objects.set(content, pdfStream(beside.encrypt?.(packed, content) ?? packed, '/Filter /FlateDecode'));
  const page = objects.add(
    `<< /Type /Page /Parent ${pages} 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R ${beside.page ?? ''} /Resources << /Font << /F1 ${font} 0 R >> ${beside.resources ?? ''} >> >>`,
  );
  objects.set(pages, `<< /Type /Pages /Count 1 /Kids [${page} 0 R] >>`);
  const catalog = objects.add(`<< /Type /Catalog /Pages ${pages} 0 R ${beside.catalog ?? ''} >>`);
  return objects.file(catalog, undefined, beside.trailer);
}

class PdfObjects {
  private readonly objects: Buffer[] = [];

  add(content: string | Buffer): number {
    return this.objects.push(typeof content === 'string' ? Buffer.from(content, 'latin1') : content);
  }

  reserve(): number {
    return this.add('');
  }

  set(ref: number, content: string | Buffer): void {
    this.objects[ref - 1] = typeof content === 'string' ? Buffer.from(content, 'latin1') : content;
  }

  stream(content: Buffer, isPacked: boolean, about = ''): number {
    const bytes = isPacked ? deflateSync(content) : content;
    return this.add(pdfStream(bytes, `${isPacked ? '/Filter /FlateDecode' : ''} ${about}`));
  }

  file(catalog: number, info: number | undefined, trailer = ''): Buffer {
    const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
    const offsets: number[] = [];
    let at = parts[0]!.length;
    for (const [index, object] of this.objects.entries()) {
      const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
      offsets.push(at);
      parts.push(part);
      at += part.length;
    }
    const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
    const size = this.objects.length + 1;
    const about = info === undefined ? '' : `/Info ${info} 0 R`;
    parts.push(
      Buffer.from(
        `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root ${catalog} 0 R ${about} ${trailer} >>\nstartxref\n${at}\n%%EOF\n`,
      ),
    );
    return Buffer.concat(parts);
  }
}
