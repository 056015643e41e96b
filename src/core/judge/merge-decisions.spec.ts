import type { Decision, FiredRule } from '../model/decision.js';
import { mergeDecisions } from './merge-decisions.js';

const rule = (id: string, over: Partial<FiredRule>): FiredRule => ({
  rule: id,
  policy: 'production',
  stage: 'post',
  severity: 'medium',
  category: 'policy',
  action: 'flag',
  enforced: true,
  message: id,
  unavailable: false,
  missing: [],
  evidence: [],
  ...over,
});

const decision = (over: Partial<Decision>): Decision => ({
  action: 'allow',
  unavailable: false,
  missing: [],
  fired: [],
  redact: [],
  exceptions: [],
  excepted: [],
  leaves: {},
  ...over,
});

const sureBlock = decision({
  action: 'block',
  reason: 'tool_use_blocked',
  fired: [rule('tool.block', { action: 'block', severity: 'critical', reason: 'tool_use_blocked' })],
});
const outage = decision({
  action: 'block',
  unavailable: true,
  missing: ['secrets'],
  fired: [rule('secrets.block', { action: 'block', severity: 'critical', unavailable: true, missing: ['secrets'] })],
});
const redaction = decision({ action: 'redact', fired: [rule('pii.redact', { action: 'redact' })] });

describe('The verdict over several stages and tool calls', () => {
  it('allows when every part allows, and when nothing was judged', () => {
    expect(mergeDecisions([decision({}), decision({})]).action).toBe('allow');
    expect(mergeDecisions([]).action).toBe('allow');
  });

  it('prefers a block to a redaction, in either order', () => {
    for (const parts of [
      [sureBlock, redaction],
      [redaction, sureBlock],
    ]) {
      expect(mergeDecisions(parts)).toMatchObject({ action: 'block', reason: 'tool_use_blocked', unavailable: false });
    }
  });

  it('reports a violation, not an outage, when one part is certain and another is unavailable', () => {
    expect(mergeDecisions([outage, sureBlock])).toMatchObject({
      action: 'block',
      reason: 'tool_use_blocked',
      unavailable: false,
      missing: ['secrets'],
    });
  });

  it('is an outage without a reason when every block is based on missing facts', () => {
    const merged = mergeDecisions([redaction, outage]);
    expect(merged).toMatchObject({ action: 'block', unavailable: true, missing: ['secrets'] });
    expect(merged.reason).toBeUndefined();
  });

  it('orders the rules that fired by severity, then by id', () => {
    const parts = [
      decision({ fired: [rule('b', { severity: 'low' }), rule('z', { severity: 'high' })] }),
      decision({ fired: [rule('a', { severity: 'low' }), rule('y', { severity: 'critical' })] }),
    ];
    expect(mergeDecisions(parts).fired.map((fired) => fired.rule)).toEqual(['y', 'z', 'a', 'b']);
  });

  it('uses the reason of the strongest rule', () => {
    const weaker = decision({
      action: 'block',
      reason: 'content_policy_violation',
      fired: [rule('a.block', { action: 'block', severity: 'high', reason: 'content_policy_violation' })],
    });
    expect(mergeDecisions([weaker, sureBlock]).reason).toBe('tool_use_blocked');
  });

  it('names each softened rule once per exception, with the strongest effect that the exception prevented', () => {
    const one = { rule: 't', exception: 'EX-1', kept: null, unavailable: false } as const;
    const merged = mergeDecisions([
      decision({ excepted: [one, { ...one, rule: 's', unavailable: true }] }),
      decision({ excepted: [{ ...one, kept: 'block' }] }),
      decision({
        excepted: [
          { ...one, kept: 'redact' },
          { ...one, exception: 'EX-0', kept: 'redact' },
        ],
      }),
    ]);
    expect(merged.excepted).toEqual([
      { rule: 't', exception: 'EX-0', kept: 'redact' },
      { rule: 't', exception: 'EX-1', kept: 'block' },
    ]);
  });
});
