import { countProblems, formatProblems } from './format-problems.js';
import { compileText, DETECTORS, FILE, head } from './testdata/sample-policy.js';
import type { PolicyProblem } from '../model/compiled-policy.js';

function shown(text: string): string {
  return formatProblems(compileText(text).problems, new Map([[FILE, text]]));
}

const problem = (more: Partial<PolicyProblem> = {}): PolicyProblem => ({
  code: 'G101',
  level: 'error',
  message: 'unknown fact "x"',
  file: 'a.yaml',
  line: 2,
  column: 3,
  length: 1,
  ...more,
});

describe('formatProblems', () => {
  it('frames each problem with its line, the neighbouring lines, carets and a hint', () => {
    const text = `${head()}${DETECTORS}
rules:
  - id: injection.flag
    stage: pre
    when:
      all:
        - prompt_injektion.score: { gte: 0.6 }
        - model.name: { gte: 0.9 }
    then: { action: flag }
`;
    expect(shown(text)).toBe(`error[G101]: unknown fact "prompt_injektion.score"
  --> policies/production/policy.yaml:16:11
   15 |       all:
   16 |         - prompt_injektion.score: { gte: 0.6 }
      |           ^^^^^^^^^^^^^^^^^^^^^^ did you mean "prompt_injection.score"?
   17 |         - model.name: { gte: 0.9 }
error[G103]: operator "gte" needs a number, "model.name" is string
  --> policies/production/policy.yaml:17:25
   16 |         - prompt_injektion.score: { gte: 0.6 }
   17 |         - model.name: { gte: 0.9 }
      |                         ^^^ for "model.name": after, before, contains, email_domain_in, ends_with, eq, eq_ci, exists, in, matches, ne, not_in, semver_gte, starts_with, url_host_in
   18 |     then: { action: flag }`);
  });

  it('aligns line numbers of different width', () => {
    const text = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join('\n');
    expect(formatProblems([problem({ line: 9 })], new Map([['a.yaml', text]]))).toBe(`error[G101]: unknown fact "x"
  --> a.yaml:9:3
    8 | line 8
    9 | line 9
      |   ^
   10 | line 10`);
  });

  it('prints no frame for a file without a source, but prints the hint', () => {
    expect(formatProblems([problem({ hint: 'look', level: 'warning' })], new Map())).toBe(
      'warning[G101]: unknown fact "x"\n  --> a.yaml:2:3\n      = look',
    );
  });

  it('replaces control characters, so that they cannot act on the terminal', () => {
    const text = 'a\n- \u001b[2Jx\u202e: {\r\nb';
    const result = formatProblems([problem({ message: 'bad\u001b[31m' })], new Map([['a.yaml', text]]));
    expect(result).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(result).toContain('- \ufffd[2Jx\ufffd: {');
  });

  it('truncates long lines around the marked range', () => {
    const text = `first\n${'x'.repeat(400)}HERE${'y'.repeat(400)}`;
    const result = formatProblems([problem({ column: 401, length: 4 })], new Map([['a.yaml', text]])).split('\n');
    const line = result.find((row) => row.includes('HERE'))!;
    expect(line.length).toBeLessThan(180);
    const carets = result[result.indexOf(line) + 1]!;
    expect(carets.indexOf('^^^^')).toBe(line.indexOf('HERE'));
  });

  it('ends with a line that counts the problems', () => {
    expect(countProblems([])).toBe('no problems');
    expect(countProblems([problem(), problem({ level: 'warning' }), problem({ file: 'b.yaml' })])).toBe(
      '2 errors, 1 warning in 2 files',
    );
    expect(countProblems([problem()])).toBe('1 error in 1 file');
  });
});
