import fc from 'fast-check';
import type { Segment } from '../model/call.js';
import { masked, part, parts } from '../../../test/support/found-values.js';

/** Bytes of a text as `xxd` writes them. */
function dump(text: string): string {
  const lines = text.match(/[^]{1,16}/g)!.map((line, index) => {
    const groups = Buffer.from(line)
      .toString('hex')
      .match(/.{1,4}/g)!;
    return `${(index * 16).toString(16).padStart(8, '0')}: ${groups.join(' ')}  ${line}`;
  });
  return lines.join('\n');
}

const SECRET = `ghp_${'aB3dE6gH9jK2'.repeat(3)}`;
/**
 * One of each range of Default_Ignorable_Code_Point (Unicode 16, DerivedCoreProperties), a control character, and the empty Braille
 * pattern.
 */
const UNSEEN =
  'ad 34f 61c 115f 1160 17b4 180b 180e 180f 200b 200f 202e 2060 2065 206f 3164 fe0f feff ffa0 fff0 1bca0 1d173 e0001 e0080 e01ef e0fff 1 2800'.split(
    ' ',
  );

describe('values that are split', () => {
  it('over two parts of a message are found in both parts', async () => {
    expect(await masked(parts('write to ana.bell@exam', 'ple.com today'))).toEqual([
      'EMAIL:ana.bell@exam',
      'EMAIL:ple.com',
    ]);
    expect(await masked(parts(`use ${SECRET.slice(0, 9)}`, SECRET.slice(9)))).toEqual([
      `github_pat:${SECRET.slice(0, 9)}`,
      `github_pat:${SECRET.slice(9)}`,
    ]);
  });

  it.each([
    ['members of a map', ['a', 'b']],
    ['fields of a form, a name between their values', ['[1]', '[3]']],
    ['parameters of a query', ['query[0]', 'query[1]']],
  ])('over %s with different names are not joined, because no recipient joins such texts', async (_, [one, other]) => {
    const halves = [SECRET.slice(0, 17), SECRET.slice(17)].map((text, index) => ({
      ...part(text, [one!, other!][index]!),
      key: ['a', 'b'][index]!,
    }));
    expect((await masked(halves)).filter((found) => found.startsWith('github_pat'))).toEqual([]);
  });

  it.each(UNSEEN)(
    'over two parts or lines are found although an invisible character is at the split: %s',
    async (point) => {
      const unseen = String.fromCodePoint(Number.parseInt(point, 16));
      const [first, second] = [SECRET.slice(0, 17), SECRET.slice(17)];
      const codes = ['github_pat', 'github_pat'];
      const found = async (segments: readonly Segment[]): Promise<string[]> =>
        (await masked(segments)).map((one) => one.split(':')[0]!);
      expect(await found(parts(`use ${first}${unseen}`, `${unseen}${second}`))).toEqual(codes);
      const lines = await found([part(`see ${first}${unseen}\n${unseen}${second}`, 'prompt')]);
      expect(lines.filter((code) => code === 'github_pat')).toEqual(codes);
    },
  );

  it('over two parts with an image or an empty part between them are found in both parts', async () => {
    const [one, other] = [SECRET.slice(0, 9), SECRET.slice(9)];
    const found = [`github_pat:${one}`, `github_pat:${other}`];
    expect(await masked(parts(`use ${one}`, '', other))).toEqual(found);
    const [first, , third] = parts(`use ${one}`, 'a picture', other);
    expect(await masked([first!, third!])).toEqual(found);
    const turns = [one, other].map((text, index) => part(text, `messages[${index * 2}].content`));
    expect((await masked(turns)).filter((each) => each.startsWith('github_pat'))).toEqual([]);
  });

  it('over many parts are found in each part, even after a long part', async () => {
    const found = await masked(
      parts('see gh', 'p_aB3d', `${SECRET.slice(8, 30)}`, `${SECRET.slice(30)} ${'so '.repeat(900)}`),
    );
    expect(found.map((one) => one.split(':')[1]).join('')).toBe(SECRET);
    const long = await masked(parts(`${'so '.repeat(900)}ana@exam`, 'ple.com'));
    expect(long).toEqual(['EMAIL:ana@exam', 'EMAIL:ple.com']);
  });

  it.each(['\n', '\r\n', '\n    ', ' \\\n', '\u00ad\n'])(
    'over two lines with %j between them are found in each line',
    async (end) => {
      const text = `my token: ${SECRET.slice(0, 17)}${end}${SECRET.slice(17)} is new`;
      const found = (await masked([part(text, 'prompt')])).filter((one) => one.startsWith('github_pat'));
      expect(found.join('').replace(/github_pat:|\u00ad/g, '')).toBe(SECRET);
      const mail = await masked([part(`to ana.bell@exam${end}ple.com.`, 'prompt')]);
      expect(mail.map((one) => one.replace('\u00ad', ''))).toEqual(['EMAIL:ana.bell@exam', 'EMAIL:ple.com']);
    },
  );

  it('over two lines of letters only are found in each line', async () => {
    const letters = `ghp_${'BpzQEaVzvwZn'.repeat(3)}`;
    const text = `use ${letters.slice(0, 11)}\n${letters.slice(11)} now`;
    expect(await masked([part(text, 'prompt')])).toEqual([
      `github_pat:${letters.slice(0, 11)}`,
      `github_pat:${letters.slice(11)}`,
    ]);
  });

  it('over parts with other fields between them are found in each part, even if one part has two lines', async () => {
    const [first, second] = parts(`use ${SECRET.slice(0, 9)}\n${SECRET.slice(9, 20)}`, `${SECRET.slice(20)} now`);
    const found = await masked([first!, part('text', 'messages[0].content[1].type'), second!]);
    expect(found.join('').replaceAll('github_pat:', '')).toBe(SECRET);
    const { key: _key, ...name } = part('text', 'messages[0].content[1].text');
    const named = await masked([first!, name, second!]);
    expect(named.join('').replaceAll('github_pat:', '')).toBe(SECRET);
    const [one, other] = parts('write to ana.bell@exam', 'ple.com today');
    const mails = await masked([one!, part('text', 'messages[0].content[1].type'), other!]);
    expect(mails).toEqual(['EMAIL:ana.bell@exam', 'EMAIL:ple.com']);
  });

  it('over parts of one letter each are found in each part', async () => {
    const segments = parts(...`${'so '.repeat(9)}${SECRET}${' so'.repeat(9)}`.replaceAll(' ', '.'));
    expect((await masked(segments)).join('').replaceAll('github_pat:', '')).toBe(SECRET);
  });

  it('over three lines are found in each line', async () => {
    const text = [SECRET.slice(0, 10), SECRET.slice(10, 25), SECRET.slice(25)].join('\n');
    expect((await masked([part(text, 'prompt')])).join('').replaceAll('github_pat:', '')).toBe(SECRET);
  });

  it.each<[string, string, string]>([
    ['quotations of mails', '', '\n> '],
    ['quotations of quotations', '', '\n> > '],
    ['comments of programs', '', '\n// '],
    ['comments of scripts', '', '\n# '],
    ['concatenated strings', '"', '" + "'],
    ['concatenated strings over several lines', "'", "' +\n    '"],
    ['strings side by side', '"', '" "'],
    ['strings of PHP', "'", "'.'"],
    ['strings of Lua', '"', '" .. "'],
    ['strings of SQL', "'", "' || '"],
    ['strings in JSON', '\\"', '\\" + \\"'],
    ['templates', '\u0060', '\u0060 + \u0060'],
    ['bold letters', '', '**'],
    ['code', '', '\u0060'],
    ['elements of HTML', '', '</b><b class="x">'],
    ['comments of HTML', '', '<!-- x -->'],
    ['marks of XML', '', ']]><![CDATA['],
  ])('over %s are found in each piece', async (_what, quote, between) => {
    const pieces = [SECRET.slice(0, 9), SECRET.slice(9, 25), SECRET.slice(25)];
    const found = await masked([part(`use ${quote}${pieces.join(between)}${quote} now`, 'prompt')]);
    expect(found).toEqual(pieces.map((piece) => `github_pat:${piece}`));
  });

  it.each<[string, string, string, string]>([
    ['JavaScript', '["', '", "', '"].join("")'],
    ['JavaScript in JSON', '[\\"', '\\", \\"', '\\"].join(\\"\\")'],
    ['Ruby', "['", "', '", "'].join"],
    ['Python', "''.join(['", "', '", "'])"],
    ['PHP', "implode('', ['", "', '", "'])"],
    ['C#', 'String.Join("", "', '", "', '")'],
    ['SQL', "CONCAT('", "', '", "')"],
    ['R', 'paste("', '", "', '", sep="")'],
  ])('over many strings that a program joins are found in each string: %s', async (_what, before, between, behind) => {
    const pieces = SECRET.match(/.{1,5}/g)!;
    const text = `x = ${before}${pieces.join(between)}${behind};`;
    expect((await masked([part(text, 'prompt')])).join('').replaceAll('github_pat:', '')).toBe(SECRET);
    const digits = ['4111', '1111', '1111', '1111'];
    const card = `x = ${before}${digits.join(between)}${behind};`;
    expect(await masked([part(card, 'prompt')])).toEqual(digits.map((four) => `CREDIT_CARD:${four}`));
  });

  it.each(['-\n', '-\r\n    ', '\u2010\n', '-\n> '])(
    'over two lines of which the first ends with a hyphen are found in each line: %j',
    async (end) => {
      for (const around of ['see VALUE now', 'see\nVALUE\nthere', 'The\nkey:\nVALUE\nand\nnothing\nelse']) {
        const text = around.replace('VALUE', SECRET.slice(0, 15) + end + SECRET.slice(15));
        const found = (await masked([part(text, 'prompt')])).filter((one) => one.startsWith('github_pat:'));
        expect(found.join('').replaceAll('github_pat:', '').slice(0, SECRET.length)).toBe(SECRET);
      }
    },
  );

  it.each(['\n', '\\_', '{}', '\\allowbreak ', '\\penalty0 ', '\\discretionary{}{}{}'])(
    'by %j, between lines of words, are found in each piece',
    async (between) => {
      const [one, other] = between === '\\_' ? ['ghp', SECRET.slice(4)] : [SECRET.slice(0, 15), SECRET.slice(15)];
      const found = await masked([part(`see\n${one}${between}${other}\nthere`, 'prompt')]);
      expect(found.join('').replaceAll('github_pat:', '')).toBe(SECRET);
    },
  );

  it.each(['https://${user}:${password}@api.example.com/v1', '{first}.{last}@example.com', 'mail {name}@{domain}.org'])(
    'are not found in templates: %j',
    async (text) => {
      expect(await masked([part(text, 'prompt')])).toEqual([]);
    },
  );

  it.each([
    ['bold on a bulletin board', (piece: string) => `[b]${piece}[/b]`],
    ['colours on a bulletin board', (piece: string) => `[color=#f00]${piece}[/color]`],
    ['bold in TeX', (piece: string) => `\\textbf{${piece}}`],
    ['formulas in TeX', (piece: string) => `\\mathrm{${piece}}`],
    ['groups in TeX', (piece: string) => `{${piece}}`],
    ['links of Markdown', (piece: string) => `[${piece}](https://example.com/a_b)`],
    ['links of Markdown by name', (piece: string) => `[${piece}][1]`],
    ['footnotes of Markdown', (piece: string) => `${piece}[^1]`],
    ['blanks of reStructuredText', (piece: string) => `${piece}\\ `],
    ['narrow spaces of TeX', (piece: string) => `${piece}\\,`],
    ['possible hyphens of TeX', (piece: string) => `${piece}\\-`],
    ['empty formulas', (piece: string) => `${piece}$$`],
    ['empty interpolations', (piece: string) => `${piece}\${""}`],
    ['empty expressions', (piece: string) => `${piece}{''}`],
    ['empty expressions of templates', (piece: string) => `${piece}{{ "" }}`],
    ['comments of components', (piece: string) => `${piece}{/* x */}`],
    ['comments of templates', (piece: string) => `${piece}{# x #}`],
    ['fragments', (piece: string) => `<>${piece}</>`],
  ])('are found when separated by %s', async (_what, wrapped) => {
    const text = SECRET.match(/.{1,9}/g)!
      .map(wrapped)
      .join('');
    const found = (await masked([part(`Please store ${text} for me`, 'prompt')])).map((one) => one.split(':'));
    expect(new Set(found.map(([code]) => code))).toEqual(new Set(['github_pat']));
    expect(found.map(([, value]) => value).join('')).toContain(SECRET.slice(-9));
  });

  it('are found in every supported encoding', async () => {
    const inWords = (text: string, coded: (piece: string) => string, between: string): string =>
      text
        .match(/.{1,9}/g)!
        .map((piece) => `=?utf-8?${coded(piece)}?=`)
        .join(between);
    const quoted = (text: string): string =>
      text.replace(/[^]/g, (letter) => `=${letter.charCodeAt(0).toString(16).toUpperCase()}`);
    const numbers = (text: string, spell: (hex: string) => string): string =>
      Array.from(text, (letter) => spell(letter.charCodeAt(0).toString(16))).join(' ');
    const spelt: ((text: string) => string)[] = [
      (text) => [...text].reverse().join(''),
      (text) => [...`key: ${text}.`].reverse().join(''),
      (text) => Array.from(text, (letter) => String.fromCharCode(0x2800 + letter.charCodeAt(0))).join(''),
      (text) => Array.from(text, (letter) => String(letter.charCodeAt(0)).padStart(3, '0')).join(''),
      (text) => Array.from(text, (letter) => letter.charCodeAt(0).toString(8).padStart(3, '0')).join(''),
      (text) => `+${Buffer.from(text, 'utf16le').swap16().toString('base64').replace(/=+$/, '')}-`,
      (text) => [...text].reverse().join('\u200b'),
      (text) => inWords(text, (piece) => `Q?${quoted(piece)}`, ' '),
      (text) => inWords(text, (piece) => `q?${piece}`, ' '),
      (text) => inWords(text, (piece) => `B?${Buffer.from(piece).toString('base64')}`, '\r\n '),
      (text) => numbers(text, (hex) => `${hex}h`),
      (text) => numbers(text, (hex) => `0${hex}h`),
      (text) => numbers(text, (hex) => `x${hex}`),
      (text) => text.replace('_', `+${Buffer.from('_', 'utf16le').swap16().toString('base64').replace(/=+$/, '')}-`),
    ];
    const values = fc.stringMatching(/^ghp_[A-Za-z]{11}[0-9][g-zG-Z][A-Za-z0-9]{11}[0-9]{2}[A-Za-z0-9]{6}xYz9$/);
    await fc.assert(
      fc.asyncProperty(values, fc.constantFrom(...spelt), async (value, spell) => {
        for (const text of [
          `see ${spell(value)} now`,
          `see\n${spell(value)}\nthere`,
          JSON.stringify({ a: spell(value) }),
        ])
          expect((await masked([part(text, 'prompt')])).map((one) => one.split(':')[0])).toContain('github_pat');
      }),
    );
  });

  it('are found in several lines of hexadecimal digits, even between lines of one word each', async () => {
    const digits = Buffer.from(`some words in front of ${SECRET} and behind`).toString('hex');
    for (const lines of [/.{16}/g, /.{32}/g, /.{64}/g]) {
      const text = digits.replace(lines, '$&\n');
      for (const around of [`see ${text} now`, `see\n${text}\nthere`])
        expect((await masked([part(around, 'prompt')])).map((one) => one.split(':')[0])).toContain('github_pat');
    }
  });

  it('over HTML elements of one letter each are found', async () => {
    const text = [...SECRET].map((letter) => `<i>${letter}</i>`).join('');
    expect((await masked([part(`see ${text} now`, 'prompt')])).join('').replaceAll('github_pat:', '')).toBe(SECRET);
  });

  it.each<[string, string, string, string]>([
    ['cells of tables in Markdown', '| ', ' | ', ' |'],
    ['columns parted by tabs', 'a\t', '\t', '\tb'],
    ['cells of tables in HTML', '<td>', '</td>\n<td class="x">', '</td>'],
    ['blocks of HTML', '<div>', '</div><div>', '</div>'],
    ['lines of HTML', '', '<br/>', ''],
    ['members of a list', '["', '", "', '"].join("")'],
    ['members of a list in JSON', '[\\"', '\\",\\"', '\\"]'],
    ['columns of a file', '"', '","', '"'],
  ])('over %s are found in each piece, even between other pieces', async (_what, before, between, behind) => {
    const pieces = [SECRET.slice(0, 9), SECRET.slice(9, 25), SECRET.slice(25)];
    for (const row of [pieces, ['name', ...pieces, 'end']]) {
      const found = await masked([part(`see ${before}${row.join(between)}${behind} now`, 'prompt')]);
      expect(found).toEqual(pieces.map((piece) => `github_pat:${piece}`));
    }
  });

  it.each<[string, string]>([
    ['numbers of lines', '\n12: '],
    ['further assignments', '";\nkey += "'],
  ])('with %s between the pieces are found in each piece', async (_what, between) => {
    const pieces = [SECRET.slice(0, 9), SECRET.slice(9, 25), SECRET.slice(25)];
    const found = await masked([part(`use "${pieces.join(between)}" now`, 'prompt')]);
    expect(found).toEqual(pieces.map((piece) => `github_pat:${piece}`));
  });

  it.each(['\u001b[31m', '\\x1b[0;31m'])(
    'are found with the colours of a terminal between them: %j',
    async (between) => {
      const text = [SECRET.slice(0, 9), SECRET.slice(9, 25), SECRET.slice(25)].join(between);
      expect(await masked([part(`use "${text}" now`, 'prompt')])).toEqual([`github_pat:${text}`]);
    },
  );

  it.each([' ', '.', '-', ', ', ' | ', '\n', '/', '*', '","', "', '"])(
    'are found in letters separated by %j',
    async (between) => {
      const found = await masked([part(`see "${[...SECRET].join(between)}" now`, 'prompt')]);
      expect(found.join('').replaceAll('github_pat:', '')).toBe(SECRET);
      const mail = await masked([part(`see ${[...'ana.bell@example.com'].join(between)} now`, 'prompt')]);
      expect(mail.join('').replaceAll('EMAIL:', '')).toContain('bell@example.com');
    },
  );

  it.each([
    [
      'a dump of bytes whose column of letters shows another value',
      (before: string, value: string): string => dump(`${before.padEnd(32)}${value} now`),
    ],
    [
      'text from right to left that contains another value from left to right',
      (before: string, value: string): string => `\u202e${[...value].reverse().join('')} ${before}\u202c`,
    ],
  ])('are found in %s', async (_what, written) => {
    const text = written('see a@bell.io', 'ana.bell@example.com');
    expect(await masked([part(text, 'prompt')])).toContain(`EMAIL:${text}`.replace(/\u202c$/, ''));
  });

  it('do not include adjacent cells, words and products', async () => {
    const harmless = [
      '| Acme | @acme.com | x.io |',
      '4\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1\t1',
      '["ana", "@example", ".com"]',
      'D | E | 8 | 9 | 3 | 7',
      '<td>4111111111</td><td>111111</td>',
      '["41111111", "11111111"]',
      'rows.join("\\n"); x = ["4111", "1111", "1111", "1111"]',
      '["4111", "1111", "1111", "1111"].join(", ")',
      'Rows\nare joined\n4111-\n1111',
      'x = 41111111*11111111',
      '**Total** 41111111 **or** 11111111',
    ];
    for (const text of harmless) expect(await masked([part(text, 'prompt')])).toEqual([]);
  });

  it('do not include the next line or part if the value is already complete', async () => {
    expect(await masked([part('mail ana@example.com\nBest regards 2', 'prompt')])).toEqual(['EMAIL:ana@example.com']);
    expect(await masked([part('x1 = 12345678\ny2 = 87654321\nfoo1\nbar22222', 'prompt')])).toEqual([]);
    expect(await masked([part('to ana@exam', 'messages[0].content'), part('ple.com', 'messages[0].name')])).toEqual([]);
  });
});
