/** Begins the content of a picture or of an embedded object (Rich Text Format Specification 1.9.1). */
const DATA = /\\(?:pict|objdata)(?![a-z])/i;
/** A control word with its space, a control symbol, a brace, or other characters. */
const TOKEN = /\\(?:(bin)\d|[a-z]{1,32}(?:-?\d{1,10})? ?|[^a-z]|$)|([{}])|([^\\{}]+)/giy;
const NO_DIGIT = /[^0-9a-f]/gi;
/** Fewer bytes are neither a picture nor a file. */
const FEWEST_BYTES = 16;

/** The pictures and embedded objects of an RTF file. */
interface RtfObjects {
  readonly objects: readonly Buffer[];
  /** Whether one of them contains bytes that are not written in hexadecimal digits. */
  readonly hasBinary: boolean;
}

/**
 * Reads the pictures and embedded objects of an RTF file, which it contains in hexadecimal digits. Digits in inner groups, such as the
 * identifier of a picture, do not belong to the outer object, but such a group may contain an object of its own.
 */
export function rtfObjects(rtf: string): RtfObjects {
  const objects: Buffer[] = [];
  if (!DATA.test(rtf)) return { objects, hasBinary: false };
  let hasBinary = false;
  const outer: Group[] = [];
  let group: Group = { isWithinData: false };
  const ends = ({ digits }: Group): void => {
    const hex = digits?.join('') ?? '';
    const bytes = Buffer.from(hex.slice(0, hex.length & ~1), 'hex');
    if (bytes.length >= FEWEST_BYTES) objects.push(bytes);
  };
  for (const [written, binary, brace, plain] of rtf.matchAll(TOKEN)) {
    if (brace === '{') {
      outer.push(group);
      group = { isWithinData: group.isWithinData };
    } else if (brace === '}') {
      ends(group);
      group = outer.pop() ?? { isWithinData: false };
    } else if (plain !== undefined) group.digits?.push(plain.replace(NO_DIGIT, ''));
    else if (binary !== undefined) hasBinary ||= group.isWithinData;
    else if (DATA.test(written)) group = { digits: group.digits ?? [], isWithinData: true };
  }
  // A file may end within its groups.
  for (const each of [...outer, group]) ends(each);
  return { objects, hasBinary };
}

interface Group {
  /** The digits of the group itself, if it contains a picture or an object. */
  readonly digits?: string[];
  /** Whether the group, or one that contains it, is a picture or an object. */
  readonly isWithinData: boolean;
}
