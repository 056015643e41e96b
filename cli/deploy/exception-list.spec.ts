import { exceptionsOf } from '../../src/authoring/index.js';
import { compilePolicy } from '../../src/core/index.js';
import { LETTERS } from '../../test/support/run-weir.js';
import { exceptionLines } from './exception-list.js';

const POLICY = `
apiVersion: weir/v1
kind: Policy
metadata: { id: production, title: T, owner: a@b.example }
environment: production
default: allow
detectors: { letters: { plugin: some-letters@^1 } }
rules:
  - id: x.block
    stage: pre
    severity: high
    when: { all: [ { letters.types: { any_of: [X] } } ] }
    then: { action: block, reason: content_policy_violation }
    on_unknown: match
exceptions:
  - id: EX-1
    rules: [x.block]
    effect: skip
    because: Agreed
    approved_by: a@b.example
    ticket: T-1
    expires: 2026-12-31T00:00:00Z
`;

describe('The list of exceptions', () => {
  const { policy } = compilePolicy({
    environment: 'production',
    files: [{ path: 'production/policy.yaml', text: POLICY }],
    plugins: LETTERS,
  });
  const at = (day: string) => exceptionsOf(policy!, Date.parse(`${day}T00:00:00Z`))[0];

  it.each([
    ['2026-11-01', 'later'],
    ['2026-12-01', 'within_30_days'],
    ['2026-12-17', 'within_14_days'],
    ['2026-12-28', 'within_3_days'],
    ['2026-12-31', 'expired'],
  ])('shows on %s the state of an exception that expires on 31 December: %s', (day, state) => {
    expect(at(day)?.state).toBe(state);
  });

  it('shows that an exception has expired, and that it applies to every call', () => {
    const nowMs = Date.parse('2027-01-02T00:00:00Z');
    const lines = exceptionLines(exceptionsOf(policy!, nowMs)[0]!, nowMs);
    expect(lines[0]).toBe(
      'EX-1  production  skip x.block  EXPIRED 2 days ago (2026-12-31T00:00:00.000Z)  production/policy.yaml:16',
    );
    expect(lines[1]).toContain('for every call');
    expect(lines).toHaveLength(2);
  });

  it('shows how often an exception applied, if known', () => {
    const nowMs = Date.parse('2026-12-01T00:00:00Z');
    const use = (hits_30d: number, kept_30d: number, last_hit: string | null) =>
      exceptionLines({ ...exceptionsOf(policy!, nowMs)[0]!, hits_30d, kept_30d, last_hit }, nowMs)[2];
    expect(use(12, 9, '2026-11-30T10:20:30.000Z')).toBe(
      '    applied in the last 30 days to 12 events, 9 of them would have been refused or redacted; last used 2026-11-30 10:20',
    );
    expect(use(0, 0, null)).toBe('    applied in the last 30 days to 0 events; never used');
  });
});
