import { textOfBytes } from '../../core/index.js';
import { isAppleDouble, isFolderSettings } from './mac-files.js';
import { isFont } from './whole-media.js';
import type { ZipMember } from './zip.js';

/** What a part of an archive is that contains no text. */
type WordlessKind = 'font' | 'printer settings' | 'positions of pages' | 'metadata of macOS';

interface Wordless {
  readonly kind: WordlessKind;
  /** The formats whose programs write such parts, and the names of the parts. */
  readonly formats: readonly string[];
  readonly name: RegExp;
  /** Whether the bytes are what the name says. */
  readonly isOne: (bytes: Buffer, keys: FontKeys) => boolean;
}

const EVERY_FORMAT = ['docx', 'xlsx', 'pptx', 'opc', 'epub', 'odf', 'zip'];

const WORDLESS: readonly Wordless[] = [
  { kind: 'font', formats: ['docx'], name: /^word\/fonts\/[^/]+\.odttf$/i, isOne: isObfuscatedFont },
  { kind: 'font', formats: ['pptx'], name: /^ppt\/fonts\/[^/]+\.fntdata$/i, isOne: isEmbeddedFont },
  {
    kind: 'printer settings',
    formats: ['docx', 'xlsx', 'pptx'],
    name: /^(?:word|xl|ppt)\/printerSettings\/[^/]+\.bin$/i,
    isOne: isPrinterSettings,
  },
  { kind: 'positions of pages', formats: ['odf'], name: /^layout-cache$/, isOne: isLayoutCache },
  { kind: 'metadata of macOS', formats: EVERY_FORMAT, name: /(?:^|\/)\._[^/]+$/, isOne: isAppleDouble },
  { kind: 'metadata of macOS', formats: EVERY_FORMAT, name: /(?:^|\/)\.DS_Store$/, isOne: isFolderSettings },
];

/** Recognises the parts of an archive that contain no text, by their names and their bytes. */
export class WordlessParts {
  private keys: FontKeys | undefined;

  constructor(
    private readonly members: readonly ZipMember[],
    private readonly format: string,
  ) {}

  /** What a part is; undefined if it can contain text. */
  kindOf(name: string, bytes: Buffer): WordlessKind | undefined {
    const found = WORDLESS.find((one) => one.formats.includes(this.format) && one.name.test(name));
    if (found === undefined) return undefined;
    this.keys ??= fontKeysIn(this.members);
    return found.isOne(bytes, this.keys) ? found.kind : undefined;
  }
}

/** The keys of the fonts of a Word document by their first four bytes. */
type FontKeys = ReadonlyMap<number, Buffer>;

const FONT_TABLE = /^word\/(?:[^/]+\/)?fontTable[^/]*\.xml$/i;
const FONT_KEY = /fontKey\s*=\s*["']\{?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/gi;

function fontKeysIn(members: readonly ZipMember[]): FontKeys {
  const keys = new Map<number, Buffer>();
  for (const { name, bytes } of members) {
    if (bytes === undefined || !FONT_TABLE.test(name)) continue;
    for (const [, written = ''] of (textOfBytes(bytes)?.text ?? '').matchAll(FONT_KEY)) {
      const key = Buffer.from(written.replaceAll('-', ''), 'hex').reverse();
      keys.set(key.readUInt32BE(0), key);
    }
  }
  return keys;
}

const OBFUSCATED_BYTES = 32;
/** The first four bytes of a font in an Office file. */
const FONT_BEGINNINGS = [0x00010000, 0x4f54544f, 0x74727565];

/** ECMA-376 part 1, 17.8.1: the first 32 bytes are combined by XOR with a key of 16 bytes, which the table of fonts contains. */
function isObfuscatedFont(bytes: Buffer, keys: FontKeys): boolean {
  if (bytes.length < OBFUSCATED_BYTES) return false;
  const beginning = bytes.readUInt32BE(0);
  return FONT_BEGINNINGS.some((plain) => {
    const key = keys.get((beginning ^ plain) >>> 0);
    return key !== undefined && isFont(withoutKey(bytes, key));
  });
}

function withoutKey(bytes: Buffer, key: Buffer): Buffer {
  const plain = Buffer.from(bytes);
  for (let at = 0; at < OBFUSCATED_BYTES; at++) plain[at] = (bytes[at] ?? 0) ^ (key[at % key.length] ?? 0);
  return plain;
}

const EMBEDDED_HEAD = 82;
const EMBEDDED_VERSIONS: ReadonlySet<number> = new Set([0x00010000, 0x00020001, 0x00020002]);
const EMBEDDED_MAGIC = 0x504c;

/** https://www.w3.org/submissions/EOT/, section 3: a header with the sizes of the file and of the font. */
function isEmbeddedFont(bytes: Buffer): boolean {
  if (bytes.length < EMBEDDED_HEAD || bytes.readUInt32LE(0) !== bytes.length) return false;
  const fontBytes = bytes.readUInt32LE(4);
  const isSize = fontBytes > 0 && fontBytes <= bytes.length - EMBEDDED_HEAD;
  return isSize && EMBEDDED_VERSIONS.has(bytes.readUInt32LE(8)) && bytes.readUInt16LE(34) === EMBEDDED_MAGIC;
}

const SETTINGS_HEAD = 72;
const SETTINGS_VERSIONS: ReadonlySet<number> = new Set([0x0320, 0x0400, 0x0401]);
/** The size of the oldest form. */
const SMALLEST_SETTINGS = 188;

/** The structure `DEVMODEW` of Windows: the name of the printer, versions, the size of the settings and of those of the driver. */
function isPrinterSettings(bytes: Buffer): boolean {
  if (bytes.length < SETTINGS_HEAD || !SETTINGS_VERSIONS.has(bytes.readUInt16LE(64))) return false;
  const [size, driverSize] = [bytes.readUInt16LE(68), bytes.readUInt16LE(70)];
  return size >= SMALLEST_SETTINGS && size + driverSize <= bytes.length;
}

const LAYOUT_HEAD = 4;
const LAYOUT_VERSION = 1;
/** The type of a record with the pages. */
const PAGES = 0x70;

/** Where pages begin, as LibreOffice stores it (sw/source/core/layout/laycache.cxx): its version, and one record with its type and size. */
function isLayoutCache(bytes: Buffer): boolean {
  if (bytes.length < 2 * LAYOUT_HEAD || bytes.readUInt16LE(0) !== LAYOUT_VERSION) return false;
  return bytes[LAYOUT_HEAD] === PAGES && LAYOUT_HEAD + (bytes.readUInt32LE(LAYOUT_HEAD) >>> 8) === bytes.length;
}
