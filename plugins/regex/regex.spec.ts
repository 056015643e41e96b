import fc from 'fast-check';
import { describeDetector } from '../../test/support/describe-detector.js';
import { TooMuchWork } from './find-all.js';
import { regex } from './regex.js';

const options = regex.meta.options.parse({
  patterns: {
    TICKET: { pattern: '\\bTCK-\\d{6}\\b', title: 'A ticket number' },
    CUSTOMER: [{ pattern: '^customer: (.{1,40})$', case_sensitive: false, group: 1, score: 0.7 }],
  },
});

describeDetector(regex, { options, fragments: ['TCK-000000', '\ncustomer: z\n'], attacks: ['customer: ', 'TCK-'] });

const scanWith = (patterns: unknown, text: string): string[] => {
  const parsed = regex.meta.options.parse({ patterns });
  return regex
    .create(parsed, { codes: new Set(Object.keys(parsed.patterns)) })(text)
    .map(({ code, start, end, score }) => `${code}:${text.slice(start, end)}:${score}`);
};

describe('regex', () => {
  it('accepts a pattern, a list of patterns, and a pattern with options', () => {
    const patterns = { A: 'a\\d', B: ['b\\d', { pattern: 'c(\\d)', group: 1, score: 0.5 }] };
    expect(scanWith(patterns, 'a1 b2 c3 A4')).toEqual(['A:a1:1', 'B:b2:1', 'B:3:0.5']);
  });

  it('finds matches despite invisible characters and other forms of digits', () => {
    expect(scanWith({ A: 'AB-\\d{3}' }, 'A\u200bB-１２３')).toEqual(['A:A\u200bB-１２３:1']);
  });

  it.each([
    ['a control character', 'TCK-00\u00011234'],
    ['many invisible characters', `TCK-${'\u200b'.repeat(40)}001234`],
    ['a percent sign', 'TCK%2D001234'],
  ])('finds matches with hidden letters: %s', (_what, hidden) => {
    expect(scanWith({ A: '\\bTCK-\\d{6}\\b' }, `see ${hidden}, TCK-1`)).toEqual([`A:${hidden}:1`]);
  });

  it('finds both of two matches that only an invisible character separates', () => {
    const text = 'TCK-001234\u200bTCK-001235';
    expect(scanWith({ A: '\\bTCK-\\d{6}\\b' }, text)).toEqual(['A:TCK-001234:1', 'A:TCK-001235:1']);
  });

  it('omits groups that did not participate in the match', () => {
    expect(scanWith({ A: { pattern: 'a(b)?', group: 1 } }, 'a ab')).toEqual(['A:b:1']);
  });

  it.each([
    ['an open bracket', '[a', 'the pattern cannot be read: missing closing ] at \\"[a\\"'],
    ['look-ahead', 'a(?=b)', 'look-ahead and look-behind do not exist'],
    ['look-behind', '(?<!a)b', 'look-ahead and look-behind do not exist'],
    ['a backreference', '(a)\\1', 'the pattern cannot be read: invalid escape sequence'],
    ['an empty match', 'a*', 'the pattern matches an empty text'],
    ['an empty pattern', '', 'the pattern is empty'],
    ['a long pattern', 'a'.repeat(1_001), 'a pattern can have at most 1000 characters'],
    ['a large program', '(?:a{0,500}b{0,500}){3}c{900}d{900}e{900}f{900}', 'the pattern'],
    ['a group that is not there', { pattern: 'a(b)', group: 2 }, 'the pattern has 1 group'],
    ['an unknown key', { pattern: 'a', flags: 'i' }, 'Unrecognized key'],
  ])('refuses %s in the policy, with the reason', (_what, pattern, why) => {
    const result = regex.meta.options.safeParse({ patterns: { A: pattern } });
    expect(JSON.stringify(result.error?.issues)).toContain(why);
  });

  it('refuses more patterns than the limit of a scan', () => {
    const many = Array.from({ length: 201 }, (_, index) => `x${index}`);
    expect(JSON.stringify(regex.meta.options.safeParse({ patterns: { A: many } }).error?.issues)).toContain(
      'at most 200 patterns',
    );
    const large = Array.from({ length: 60 }, () => 'x{900}');
    expect(JSON.stringify(regex.meta.options.safeParse({ patterns: { A: large } }).error?.issues)).toContain(
      'too large',
    );
  });

  it.each([
    ['wide ranges without regard to case', { pattern: `a${'[B-\\x{1e942}]'.repeat(70)}`, case_sensitive: false }],
    ['many Unicode classes', `a${'[^\\pL]'.repeat(140)}`],
  ])('refuses patterns that would take seconds to compile, without compiling them: %s', (_what, pattern) => {
    const before = process.cpuUsage();
    const { error } = regex.meta.options.safeParse({ patterns: { A: Array.from({ length: 100 }, () => pattern) } });
    const { user, system } = process.cpuUsage(before);
    expect(JSON.stringify(error?.issues)).toContain('take too long to compile');
    expect((user + system) / 1_000).toBeLessThan(500);
  });

  it('is not slowed down by patterns with catastrophic backtracking in other engines', () => {
    expect(scanWith({ A: '^(a+)+$', B: '(x+x+)+y' }, 'a'.repeat(50_000) + '!' + 'x'.repeat(50_000))).toEqual([]);
  });

  it('fails instead of running endlessly if every match reads to the end of the text', () => {
    expect(() => scanWith({ A: 'a.*z|a' }, 'a'.repeat(50_000))).toThrow(TooMuchWork);
    expect(() => scanWith({ A: '\\d(?:[^z]*z)?' }, '1 \n'.repeat(20_000))).toThrow(TooMuchWork);
  });

  it('allows many matches of unbounded patterns limited to a word or a line, and of bounded patterns anywhere', () => {
    expect(scanWith({ A: '\\w+@\\w+' }, 'write to ann@example now '.repeat(5_000))).toHaveLength(5_000);
    expect(scanWith({ A: 'to .*' }, 'write to ann@example now\n'.repeat(5_000))).toHaveLength(5_000);
    expect(scanWith({ A: '\\w{1,60}@\\w{1,60}' }, 'write to ann@example now '.repeat(5_000))).toHaveLength(5_000);
  });

  it('has the same matches as JavaScript for patterns with the same meaning in both', () => {
    const sources = ['a{1,2}b', '[ab]c', 'a(?:b|c)', '\\bab\\b', '\\d\\d?', '(?:ab|a)(?:c|bcd)'];
    const sample = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ' ', '1', '\n'), { maxLength: 30 });
    fc.assert(
      fc.property(fc.constantFrom(...sources), sample, (source, parts) => {
        const text = parts.join('');
        const expected = [...text.matchAll(new RegExp(source, 'gm'))].map(([match]) => `A:${match}:1`);
        expect(scanWith({ A: source }, text)).toEqual(expected);
      }),
    );
  });
});
