import fc from 'fast-check';
import { PROBLEM_CODES } from './problem-codes.js';
import { formatProblems } from './format-problems.js';
import { compileText, DETECTORS, FILE, head } from './testdata/sample-policy.js';

const SAMPLE = `${head('mode: enforce\nclient_monitor_mode: ignore\ndefault_max_tokens: 4096\n')}${DETECTORS}
lists: { models: [gpt-4o, gpt-4o-mini], domains: [acme.example] }
conditions:
  untrusted:
    any:
      - prompt_injection.score: { gte: 0.8 }
      - context.sources: { any_of: [web, mail] }
rules:
  - id: pii.redact
    title: Mask contact details
    stage: pre
    severity: medium
    when: { all: [ { pii.types: { any_of: [EMAIL, PHONE] } } ] }
    then: { action: redact, redact: { entities: [EMAIL, PHONE], with: "[{type}_{n}]" } }
    on_unknown: match
  - id: model.approved
    stage: pre
    when: { not: { model.name: { in: $lists.models } } }
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
  - id: tool.mail
    stage: tool
    when:
      all:
        - tool_calls: { some: { all: [ { name: send }, { not: { args.to: { email_domain_in: $lists.domains } } } ] } }
        - use: untrusted
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
overrides:
  - { rule: pii.redact, because: more, set: { severity: high } }
exceptions:
  - { id: EX-1, rules: [pii.redact], because: b, approved_by: a, ticket: t, expires: 2026-12-31T23:59:59Z, when: { app.name: hr } }
budgets:
  - { id: team, scope: [app], window: { per: day }, limit: { usd: 250 }, warn_at: [0.8], on_exceed: block }
`;

/**
 * Asserts that the result is either a policy or errors, that each problem has a known code and an existing position, and that
 * formatting the problems does not throw.
 */
function check(text: string): void {
  const { policy, problems } = compileText(text);
  const errors = problems.filter(({ level }) => level === 'error');
  expect(policy === undefined).toBe(errors.length > 0);
  const lines = text.split('\n');
  for (const { code, line, column, length } of problems) {
    expect(Object.keys(PROBLEM_CODES)).toContain(code);
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(lines.length);
    expect(column).toBeGreaterThanOrEqual(1);
    expect(column).toBeLessThanOrEqual(lines[line - 1]!.length + 1);
    expect(length).toBeGreaterThanOrEqual(1);
  }
  expect(typeof formatProblems(problems, new Map([[FILE, text]]))).toBe('string');
}

const TOKENS = SAMPLE.split(/(?<=[\s{}[\]:,])/);
const PIECES = [
  '&a ',
  '*a',
  '<<: ',
  '!!str ',
  '? ',
  '- ',
  '[',
  ']',
  '{',
  '}',
  ': ',
  '\n',
  '  ',
  '"',
  "'",
  '|\n',
  '#',
  '%YAML 1.1\n',
  '---\n',
  '$lists.',
  '__proto__',
  'constructor',
  'null',
  '~',
  '.nan',
  '0x1',
  '\t',
  '\u0000',
  '\ud800',
];

describe('compilePolicy', () => {
  it('compiles the sample', () => {
    expect(compileText(SAMPLE).problems.map(({ code }) => code)).toEqual([]);
  });

  it('never throws on any text, and returns either a policy or errors', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 200 }),
          fc.array(fc.constantFrom(...PIECES, ...TOKENS), { maxLength: 60 }).map((parts) => parts.join('')),
        ),
        check,
      ),
      { numRuns: 150 },
    );
  });

  it('never throws on a policy with text removed, repeated, swapped or inserted', () => {
    const edit = fc.record({
      at: fc.nat(TOKENS.length - 1),
      cut: fc.nat(3),
      put: fc.array(fc.constantFrom(...PIECES, ...TOKENS), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(fc.array(edit, { minLength: 1, maxLength: 3 }), (edits) => {
        const tokens = [...TOKENS];
        for (const { at, cut, put } of edits) tokens.splice(at, cut, ...put);
        check(tokens.join(''));
      }),
      { numRuns: 250 },
    );
  });

  it('returns the same result for the same input', () => {
    fc.assert(
      fc.property(fc.nat(TOKENS.length - 1), (at) => {
        const text = TOKENS.filter((_, index) => index !== at).join('');
        expect(compileText(text)).toEqual(compileText(text));
      }),
      { numRuns: 25 },
    );
  });
});
