import { Parser } from 'htmlparser2';
import { markupTexts } from './markup.js';

/** The strings that cells of all sheets refer to, by number. */
export function sharedStrings(xml: string): string[] {
  return xml
    .split(/<(?:\w+:)?si\b/)
    .slice(1)
    .map((item) => markupTexts(`<si${item}`, true).text.trim());
}

/**
 * A sheet row by row, its cells apart by tabs: what they show, and the formulas.
 * @param used is told which of the strings are referred to
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
        if (element === 'v') value = '';
      },
      ontext(text) {
        if (element === 'v') value += text;
        else if (/\S/.test(text)) out.push(text);
      },
      onclosetag(qualified) {
        const name = qualified.slice(qualified.indexOf(':') + 1);
        if (name === 'v') out.push(shown(value, type, strings, used));
        if (name === 'c') out.push('\t');
        if (name === 'f') out.push(' ');
        if (['row', 'oddHeader', 'oddFooter', 'formula1', 'formula2'].includes(name)) out.push('\n');
        element = '';
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
  return out.join('');
}

function shown(value: string, type: string | undefined, strings: readonly string[], used: Set<number>): string {
  if (type !== 's') return value;
  const index = Number(value);
  used.add(index);
  return strings[index] ?? '';
}
