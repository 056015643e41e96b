import { Parser } from 'htmlparser2';
import { markupTexts } from './markup.js';

/** The shared strings, to which cells of all sheets refer by index. */
export function sharedStrings(xml: string): string[] {
  return xml
    .split(/<(?:\w+:)?si\b/)
    .slice(1)
    .map((item) => {
      const { text, seen } = markupTexts(`<si${item}`, true);
      return unescaped(seen === text ? text.trim() : `${text.trim()}\n${seen.trim()}`);
    });
}

/**
 * A sheet row by row with tabs between cells: their displayed values and formulas.
 * @param used collects the indices of the referenced strings
 */
export function sheetText(xml: string, strings: readonly string[], used: Set<number>): string {
  const out: string[] = [];
  let type: string | undefined;
  let element = '';
  let value = '';
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        element = name.slice(name.indexOf(':') + 1);
        if (element === 'c') type = attributes.t;
        if (element === 'v' || PUT_TOGETHER.test(element)) value = '';
      },
      ontext(text) {
        if (element === 'v' || PUT_TOGETHER.test(element)) value += text;
        else if (/\S/.test(text)) out.push(unescaped(text));
      },
      onclosetag(qualified) {
        const name = qualified.slice(qualified.indexOf(':') + 1);
        if (name === 'v') out.push(shown(value, type, strings, used));
        if (PUT_TOGETHER.test(name)) out.push(...readTwice(value, name === 'f' ? withStringsJoined : withoutCodes));
        if (name === 'c') out.push('\t');
        if (name === 'f') out.push(' ');
        if (['row', 'formula1', 'formula2'].includes(name) || HEADER.test(name)) out.push('\n');
        element = '';
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return out.join('');
}

function shown(value: string, type: string | undefined, strings: readonly string[], used: Set<number>): string {
  if (type !== 's') return unescaped(value);
  const index = Number(value);
  used.add(index);
  return strings[index] ?? unescaped(value);
}

const HEADER = /^(?:odd|even|first)(?:Header|Footer)$/;
/** Elements whose text is read twice: as written, and with joined strings or without formatting codes. */
const PUT_TOGETHER = /^(?:f|(?:odd|even|first)(?:Header|Footer))$/;

function readTwice(text: string, read: (text: string) => string): string[] {
  const made = read(text);
  return made === text ? [text] : [text, '\n', made, '\n'];
}

/** Fonts, sizes, colours, styles and fields in headers and footers (ECMA-376 part 1, 18.3.1.46). */
const HEADER_CODE = /&(?:"[^"]*"|K(?:[0-9A-F]{6}|\d\d[+-]\d{3})|\d{1,3}|[A-Z]|(&))/gi;

function withoutCodes(header: string): string {
  return header.replace(HEADER_CODE, (code, ampersand: string | undefined) =>
    /^&[LCR]$/i.test(code) ? '\n' : (ampersand ?? ''),
  );
}

/** Joins adjacent string literals of a formula. */
function withStringsJoined(formula: string): string {
  return formula
    .replace(/\b(?:UNI)?CHAR\s*\(\s*(\d{1,5})\s*\)/gi, (_, code: string) => `"${String.fromCharCode(Number(code))}"`)
    .replace(/"\s*[&,;]\s*"/g, '');
}

/** Decodes characters written as code numbers (ECMA-376 part 1, 22.9.2.19). */
function unescaped(text: string): string {
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
