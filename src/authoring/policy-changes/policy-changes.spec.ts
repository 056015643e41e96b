import { LETTERS } from '../../../test/support/run-weir.js';
import { compilePolicy, type CompiledPolicy } from '../../core/index.js';
import { inDays, policyChanges } from './policy-changes.js';

const NOW_MS = Date.parse('2026-11-21T00:00:00Z');

const HEAD = `
apiVersion: weir/v1
kind: Policy
metadata: { id: production, title: T, owner: a@b.example }
environment: production
default: allow
`;
const RULE = `
  - id: x.block
    title: No X
    stage: pre
    severity: high
    when: { all: [ { letters.types: { any_of: [X] } } ] }
    then: { action: block, reason: content_policy_violation }
    on_unknown: match`;
const EXCEPTION = `
exceptions:
  - id: EX-1
    rules: [x.block]
    when: { app.name: hr }
    effect: monitor
    because: Agreed
    approved_by: a@b.example
    ticket: T-1
    expires: 2026-12-31T00:00:00Z
`;

function compiled(rules: string, more = '', head = HEAD): CompiledPolicy {
  const text = `${head}detectors: { letters: { plugin: some-letters@^1, codes: { add: [Y] } } }\nrules:${rules}\n${more}`;
  const { policy, problems } = compilePolicy({
    environment: 'production',
    files: [{ path: 'production/policy.yaml', text }],
    plugins: LETTERS,
  });
  if (policy === undefined) throw new Error(problems.map(({ message }) => message).join('; '));
  return policy;
}

const changes = (before: CompiledPolicy, after: CompiledPolicy): string[] =>
  policyChanges(before, after, NOW_MS).map(
    ({ change, what, id, details, weaker }) =>
      `${change} ${what} ${id}: ${details.join(' · ')}${weaker ? ' WEAKER' : ''}`,
  );

describe('policyChanges', () => {
  const base = compiled(RULE);
  const changed = (from: string, to: string): CompiledPolicy => compiled(RULE.replace(from, to));
  const OTHER = RULE.replace('x.block', 'y.block').replace('No X', 'No Y');

  it('is empty for equal policies', () => {
    expect(changes(base, compiled(RULE))).toEqual([]);
  });

  it.each([
    ['title: No X', 'title: No letter X', ['changed rule x.block: wording']],
    ['severity: high', 'severity: low', ['changed rule x.block: severity high → low']],
    ['on_unknown: match', 'on_unknown: no_match', ['changed rule x.block: on_unknown match → no_match WEAKER']],
    ['any_of: [X]', 'all_of: [X]', ['changed rule x.block: condition']],
    [
      'then: { action: block, reason: content_policy_violation }',
      'then: { action: flag }',
      ['changed rule x.block: action block → flag · reason content_policy_violation → none WEAKER'],
    ],
    [
      'severity: high',
      'severity: high\n    mode: monitor\n    review_by: 2026-12-31',
      ['changed rule x.block: mode enforce → monitor WEAKER'],
    ],
    ['id: x.block', 'id: x.stop\n    formerly: [x.block]', ['changed rule x.stop: id x.block → x.stop']],
  ])('reports a change of %s → %s', (from, to, lines) => {
    expect(changes(base, changed(from, to))).toEqual(lines);
  });

  it('reports added rules, and removed enforced rules as weaker', () => {
    expect(changes(base, compiled(RULE + OTHER))).toEqual(['added rule y.block: block at pre']);
    expect(changes(compiled(RULE + OTHER), base)).toEqual(['removed rule y.block: block at pre WEAKER']);
  });

  it('reports an added or prolonged exception as weaker, but not a removed one', () => {
    const excepted = compiled(RULE, EXCEPTION);
    const later = compiled(RULE, EXCEPTION.replace('2026-12-31', '2027-03-31'));
    expect(changes(base, excepted)).toEqual(['added exception EX-1: monitor x.block, expires in 40 days WEAKER']);
    expect(changes(excepted, later)).toEqual(['changed exception EX-1: expires 2026-12-31 → 2027-03-31 WEAKER']);
    expect(changes(later, excepted)).toEqual(['changed exception EX-1: expires 2027-03-31 → 2026-12-31']);
    expect(changes(excepted, base)).toEqual(['removed exception EX-1: monitor x.block, expires in 40 days']);
  });

  it('reports changed settings and lists', () => {
    const monitored = compiled(RULE, '', `${HEAD}mode: monitor\n`);
    expect(changes(base, monitored)).toContain('changed setting mode: enforce → monitor WEAKER');
    const listed = (entries: string): CompiledPolicy =>
      compiled(RULE.replace('[X]', '$lists.wanted'), `lists: { wanted: [${entries}] }\n`);
    expect(changes(listed('X'), listed('X, Y'))).toEqual(['changed list wanted: also Y']);
    expect(changes(listed('X, Y'), listed('X'))).toEqual(['changed list wanted: no longer Y WEAKER']);
  });

  it('counts the time until a date in whole days', () => {
    const at = (text: string): string => inDays(Date.parse(text), NOW_MS);
    expect([at('2026-11-21T10:00:00Z'), at('2026-11-22T00:00:00Z'), at('2026-12-01T00:00:00Z')]).toEqual([
      'within a day',
      'in 1 day',
      'in 10 days',
    ]);
    expect([at('2026-11-20T20:00:00Z'), at('2026-11-18T00:00:00Z')]).toEqual(['less than a day ago', '3 days ago']);
  });
});
