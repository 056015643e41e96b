import { lettersOfEscape, unwrapped, wrappedFrom } from './wrapped-base64.js';

const LETTERS = 'UEsDBBQAAAgIAAAAAAAAabcdefghijklmnopqrstuvwxyz/+0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LINES = LETTERS.match(/.{1,20}/g) ?? [];

/** The letters that are found from their beginning in a text. Decoders skip white space. */
function found(text: string): string {
  const start = text.indexOf('UEsDB');
  return unwrapped(text.slice(start, wrappedFrom(text, start).end)).replace(/\s+/g, '');
}

describe('base64 that is divided into lines or strings', () => {
  it.each<[string, string]>([
    ['indented lines', `  ${LINES.join('\n  ')}\n`],
    ['a quotation of a mail', `> ${LINES.join('\r\n> ')}\r\n`],
    ['a list of YAML', `- ${LINES.join('\n- ')}\n`],
    ['a list of JSON', `["${LINES.join('",\n   "')}"]`],
    ['a list of JSON in one line', `["${LINES.join('","')}"]`],
    ['strings of a program', `"${LINES.join('" +\n  "')}"`],
    ['strings of a program without an operator', `('${LINES.join("'\n '")}')`],
    ['lines of a shell script', `${LINES.join('\\\n')} | base64 -d`],
    ['lines that end as in quoted-printable', `${LINES.join('=\r\n')}\r\n`],
    ['line ends in JSON', `"${LINES.join('\\n')}"`],
    ['line ends in JSON in JSON', `\\"${LINES.join('\\\\r\\\\n')}\\"`],
    ['line ends in a URL', `${LINES.join('%0D%0A')}&a=b`],
    ['line ends in HTML', `<p>${LINES.join('<br>\n')}</p>`],
    ['comments of a program', `// ${LINES.join('\n// ')}\n`],
  ])('is put together from %s', (_, text) => {
    expect(found(text)).toBe(LETTERS);
  });

  it.each<[string, string]>([
    ['JSON', '\\/'],
    ['JSON in JSON', '\\\\/'],
    ['a program', '\\u002F'],
    ['a string of bytes', '\\x2f'],
    ['a URL', '%2f'],
    ['HTML', '&#x2F;'],
    ['HTML with numbers', '&#47;'],
    ['HTML with names', '&sol;'],
  ])('is read with the escapes of %s', (_, slash) => {
    expect(found(`"${LETTERS.replace('/', slash)}"`)).toBe(LETTERS);
  });

  it('ends before lines of another length, and before the next member of an object', () => {
    expect(found(`${LINES[0]}\nwords that follow`)).toBe(LINES[0]);
    expect(found(`"${LINES[0]}",\n"${LINES[1]}x"`)).toBe(LINES[0]);
    expect(found(`{"a":"${LINES[0]}",\n "b":"${LINES[1]}"}`)).toBe(LINES[0]);
  });

  it('ends before a line with which another file begins, but not before a later line that begins in the same way', () => {
    for (const joint of ['\n', '\n- ', '","', '",\n"']) {
      expect(found(`"${LETTERS}${joint}${LETTERS}"`)).toBe(LETTERS);
      const lines = [LETTERS, LETTERS.replace('UEsDB', 'AEsDB'), LETTERS];
      expect(found(`"${lines.join(joint)}"`)).toBe(lines.join(''));
    }
    const short = ['UEsDBBQAAAgIAAAAAAAA', 'eAEAAAAAAAAAAAAAAAAA'];
    expect(found(short.join('\n'))).toBe(short.join(''));
  });

  it('keeps signs that are letters', () => {
    expect(unwrapped('ab+\ncd/\nef-\ngh')).toBe('ab+\ncd/\nef-\ngh');
    expect(unwrapped('"ab+",\n"cd"')).toBe('"ab+cd"');
  });

  it('is searched in linear time if it consists of blanks', () => {
    const blanks = `UEsDB"${' '.repeat(2_000_000)}`;
    expect(unwrapped(blanks)).toBe(blanks);
  });
});

describe('the letters of an escape before base64', () => {
  it.each<[string, number]>([
    ['\\nUEsDB', 1],
    ['\\u000aUEsDB', 5],
    ['\\x0aUEsDB', 3],
    ['%2CUEsDB', 2],
    ['=3DUEsDB', 2],
    ['=UEsDB', 0],
    [' nUEsDB', 0],
  ])('are counted: %s', (text, count) => {
    expect(lettersOfEscape(text, 1)).toBe(count);
  });
});
