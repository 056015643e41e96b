import fc from 'fast-check';
import type { DecodedCall } from '../model/call.js';
import type { FiredRule, Violation } from '../model/decision.js';
import type { LocatedFinding } from '../model/finding.js';
import { atOnce } from '../steps/steps.js';
import { violationsOf } from './violations.js';

const MOST = 20;

/** The reference model: what is reported about one rule, from its evidence in the findings, checked one by one. */
function modelOf(
  rule: FiredRule,
  call: DecodedCall,
  findings: readonly LocatedFinding[],
  spared: ReadonlySet<LocatedFinding>,
): Partial<Violation> {
  const toolCall = rule.toolCall === undefined ? undefined : call.newToolCalls[rule.toolCall];
  const speaking = findings.filter(
    (finding) =>
      (toolCall === undefined || toolCall.segments.includes(finding.segment)) &&
      (rule.action !== 'redact' || !rule.enforced || !spared.has(finding)) &&
      (rule.isSpared !== true || spared.has(finding)) &&
      rule.evidence.some(
        ({ detector, codes }) => detector === finding.detector && (codes === 'all' || codes.includes(finding.code)),
      ),
  );
  const found = speaking.map(({ segment }) => call.segments[segment]!.path);
  const paths = [...new Set([...(rule.locations ?? []), ...found])];
  if (toolCall !== undefined && paths.length === 0) paths.push(toolCall.path);
  return {
    ...(speaking[0] === undefined ? {} : { detector: speaking[0].detector, count: speaking.length }),
    ...(paths.length === 0 ? {} : { locations: paths.slice(0, MOST) }),
  };
}

const detector = fc.constantFrom('a', 'b');
const code = fc.constantFrom('X', 'Y', 'Z');
const SEGMENTS = 30;
const findings = fc.array(
  fc.record({
    detector,
    code,
    segment: fc.nat(SEGMENTS - 1),
    start: fc.constant(0),
    end: fc.constant(1),
    score: fc.constant(1),
  }),
  { maxLength: 80 },
);
const rule = fc.record(
  {
    unavailable: fc.boolean(),
    evidence: fc.array(
      fc.record({ detector, codes: fc.oneof(fc.constant('all' as const), fc.array(code, { maxLength: 2 })) }),
      { maxLength: 3 },
    ),
    locations: fc.array(
      fc.nat(SEGMENTS - 1).map((index) => `p${index}`),
      { maxLength: 3 },
    ),
    toolCall: fc.nat(2),
    enforced: fc.boolean(),
    action: fc.constantFrom('redact' as const, 'flag' as const),
  },
  { requiredKeys: ['unavailable', 'evidence'] },
);
const toolCalls = fc.array(fc.array(fc.nat(SEGMENTS - 1), { maxLength: 10 }), { minLength: 1, maxLength: 2 });

describe('Violations reported to a client', () => {
  it('are the same as when the findings of each rule are counted one by one', () => {
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 6 }), findings, toolCalls, fc.nat(3), (rules, all, calls, every) => {
        const fired = rules.map((one, index) => {
          const isSpared = one.action === 'redact' && one.enforced === false && index % 2 === 0;
          return { rule: `r${index}`, ...one, ...(isSpared ? { isSpared } : {}) } as unknown as FiredRule;
        });
        const spared = new Set(every === 0 ? [] : all.filter((_finding, index) => index % every === 0));
        const call = {
          // Some segments share a path.
          segments: Array.from({ length: SEGMENTS }, (_unused, index) => ({ path: `p${index % 25}` })),
          newToolCalls: calls.map((segments, index) => ({ path: `calls[${index}]`, segments })),
        } as unknown as DecodedCall;
        const expected = fired.filter(({ unavailable }) => !unavailable).map((one) => modelOf(one, call, all, spared));
        const violations = atOnce(violationsOf(fired, call, all, spared));
        expect(violations.map(({ rule: id }) => id)).toEqual(
          fired.filter(({ unavailable }) => !unavailable).map(({ rule: id }) => id),
        );
        for (const [index, one] of expected.entries()) {
          const { detector: who, count, locations } = violations[index]!;
          expect({
            ...(who === undefined ? {} : { detector: who }),
            ...(count === undefined ? {} : { count }),
            ...(locations === undefined ? {} : { locations }),
          }).toEqual(one);
        }
      }),
      { numRuns: 200 },
    );
  });
});
