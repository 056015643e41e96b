import { compilePatterns, reachOf } from './compile-patterns.js';
import type { Pattern } from './pattern.js';
import { ticket } from './testdata/ticket.js';

const account: Pattern<'ACCOUNT'> = {
  code: 'ACCOUNT',
  regex: /(?<![A-Za-z0-9])\d{8}(?![A-Za-z0-9])/,
  trigger: { on: 'context' },
  score: 0.1,
  context: { words: ['account'], windowUnits: 20 },
  keys: ['number'],
};
const year: Pattern<'YEAR'> = {
  code: 'YEAR',
  regex: /\d{4}(?!\d)/,
  trigger: { on: 'token', token: 'digit' },
  score: 0.4,
  against: { words: ['version'] },
};
const handle: Pattern<'HANDLE'> = {
  code: 'HANDLE',
  regex: /(?<![a-z])[a-z]{1,8}@[a-z]{2,8}/,
  trigger: { on: 'literals', literals: ['@'], before: 8 },
  score: 0.8,
};
const pin: Pattern<'PIN'> = {
  code: 'PIN',
  regex: /pin ?= ?(\d{4})/i,
  group: 1,
  trigger: { on: 'literals', literals: ['pin'] },
  score: 0.8,
  validate: (match) => (match === '0000' ? false : match === '1234' ? 0.2 : true),
};

const scan = (patterns: readonly Pattern[], text: string, key?: string): string[] =>
  compilePatterns(patterns, { codes: new Set(patterns.map(({ code }) => code)) })(
    text,
    key === undefined ? {} : { key },
  ).map(({ code, start, end, score }) => `${code}:${text.slice(start, end)}:${score}`);

describe('compilePatterns', () => {
  it('finds a pattern where its literal occurs, ignoring the case of the literal', () => {
    expect(scan([ticket], 'see TK-1234, xTK-1234 and tk-1234')).toEqual(['TICKET:TK-1234:0.5']);
  });

  it('raises the score when a context word is in the window before the match', () => {
    expect(scan([ticket], 'case TK-1234')).toEqual(['TICKET:TK-1234:0.9']);
    expect(scan([ticket], 'cases: TK-1234')).toEqual(['TICKET:TK-1234:0.9']);
    expect(scan([ticket], `case${' '.repeat(21)}TK-1234`)).toEqual(['TICKET:TK-1234:0.5']);
    expect(scan([ticket], 'TK-1234 is the case')).toEqual(['TICKET:TK-1234:0.5']);
    expect(scan([ticket], 'showcase TK-1234')).toEqual(['TICKET:TK-1234:0.5']);
  });

  it.each(['case_number', 'caseNumber', 'case-number', 'user_case'])('reads the JSON key %s as context', (key) => {
    expect(scan([ticket], 'TK-1234', key)).toEqual(['TICKET:TK-1234:0.9']);
  });

  it('tries a context pattern only after its words or under its keys', () => {
    expect(scan([account], '12345678')).toEqual([]);
    expect(scan([account], 'account 12345678, order: and then 87654321')).toEqual(['ACCOUNT:12345678:0.9']);
    expect(scan([account], '12345678', 'number')).toEqual(['ACCOUNT:12345678:0.9']);
    expect(scan([account], 'number 12345678')).toEqual([]);
    expect(scan([account], '{"account": "12345678", "x": "accounts 87654321"}')).toEqual(['ACCOUNT:12345678:0.9']);
  });

  it('drops a match that follows one of its "against" words', () => {
    expect(scan([year], 'in 2024, version 2023')).toEqual(['YEAR:2024:0.4']);
  });

  it('looks left of a literal as far as the pattern says', () => {
    expect(scan([handle], 'mail bob@home and abcdefghi@home')).toEqual(['HANDLE:bob@home:0.8']);
  });

  it('reports the group, and allows the validator to drop or score a match', () => {
    expect(scan([pin], 'PIN=4711 pin = 0000 pin=1234')).toEqual(['PIN:4711:0.8', 'PIN:1234:0.2']);
  });

  it('keeps the longest of overlapping findings', () => {
    expect(scan([year, account], 'account 12345678')).toEqual(['ACCOUNT:12345678:0.9']);
  });

  it('finds nothing for a disabled code', () => {
    const only = compilePatterns<string>([ticket, year], { codes: new Set(['YEAR']) });
    expect(only('TK-1234 2024').map(({ code }) => code)).toEqual(['YEAR', 'YEAR']);
  });

  it('lets assisting codes win overlaps, but does not return their findings', () => {
    const prefix = { ...year, regex: /\d{4}/ };
    const years = (assisting: string[]) =>
      compilePatterns<string>([account, prefix], { codes: new Set(['YEAR']), assisting: new Set(assisting) });
    expect(years([])('account 12342024')).toHaveLength(1);
    expect(years(['ACCOUNT'])('account 12342024')).toEqual([]);
  });

  it('finds matches despite full-width, zero-width and look-alike characters, and reports the original range', () => {
    const text = 'x ТК-１\u200b２34 y';
    expect(scan([ticket], 'cаse TK-1234')).toEqual(['TICKET:TK-1234:0.9']);
    const [found] = compilePatterns([{ ...ticket, regex: /..-1234/, trigger: { on: 'text' } }], {
      codes: new Set(['TICKET']),
    })(text);
    expect(text.slice(found!.start, found!.end)).toBe('ТК-１\u200b２34');
  });

  it('rejects a pattern with an unknown trigger, which would never match, and names its code', () => {
    const untyped = (trigger: object): Pattern => ({ ...ticket, trigger: trigger as Pattern['trigger'] });
    expect(() => scan([untyped({ on: 'token' })], '')).toThrow(
      'TICKET: trigger.token must be one of digit, mixed, capital',
    );
    expect(() => scan([untyped({ on: 'tokens' })], '')).toThrow('TICKET: trigger.on must be one of literals, token');
  });

  it('rejects an unbounded pattern, and names its code', () => {
    expect(() => scan([{ ...ticket, regex: /TK-\d+/ }], '')).toThrow('TICKET: pattern has an unbounded quantifier');
  });

  it('computes the reach of patterns from their windows and lengths', () => {
    const { behind, ahead } = reachOf([ticket]);
    expect(behind).toBeGreaterThan(20);
    expect(ahead).toBeGreaterThan(7);
    expect(reachOf([{ ...ticket, context: { words: ['case'], windowUnits: 200 } }]).behind).toBeGreaterThan(behind);
  });
});

describe('compilePatterns in texts that contain JSON', () => {
  const scan = compilePatterns([ticket, handle], { codes: new Set(['TICKET', 'HANDLE']) });

  it.each([
    [String.raw`{"log":"one\nTK-1234\ttwo"}`, 'TK-1234'],
    [String.raw`{"html":"\u003cTK-1234\u003e"}`, 'TK-1234'],
    [String.raw`{"deep":"{\"log\":\"\\nana@home\"}"}`, 'ana@home'],
  ])('finds the match after an escape in %j, without the escape', (text, expected) => {
    expect(scan(text).map(({ start, end }) => text.slice(start, end))).toEqual([expected]);
  });
});
