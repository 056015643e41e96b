import type { Decision } from '../model/decision.js';
import { Unknown } from '../model/fact.js';
import { DETECTORS, head, oneRule, policyOf } from '../policy/testdata/sample-policy.js';
import { evaluate, type EvaluateInput } from './evaluate.js';
import { FACTS, found, judge, NOW_MS } from './testdata/judge.js';

/** The decisions of a policy, compiled once, on calls with different keys. */
function forKeys(text: string, count: number): Promise<Decision[]> {
  const policy = policyOf(text);
  const keys = Array.from({ length: count }, (_, index) => ({ id: `key${index}`, name: 'n' }));
  const input = { stage: 'pre', nowMs: NOW_MS, clientMonitor: false } as const;
  return Promise.all(keys.map((key) => evaluate(policy, { ...input, facts: { ...FACTS, key } })));
}

describe('evaluate in monitor mode', () => {
  const rule = (more: string): string =>
    `rules:\n  - { id: t, stage: pre, when: { model.name: gpt-4o }, then: { action: block }, on_unknown: match${more} }\n`;
  const reports = async (text: string, more: Partial<EvaluateInput> = {}) => {
    const decision = await judge(text, {}, more);
    return [decision.action, decision.fired[0]?.enforced, decision.fired[0]?.softenedBy];
  };

  it('reports without enforcing when the policy, the rule or a client whose request is honoured sets the mode', async () => {
    expect(await reports(head(`mode: monitor\n${rule('')}`))).toEqual(['allow', false, 'policy']);
    expect(await reports(head(rule(', mode: monitor, review_by: 2027-01-01')))).toEqual(['allow', false, 'rule']);
    const honour = head(`client_monitor_mode: honor\n${rule('')}`);
    expect(await reports(honour, { clientMonitor: true })).toEqual(['allow', false, 'client']);
    expect(await reports(honour)).toEqual(['block', true, undefined]);
  });

  it('ignores the request of a client for monitor mode by default, and when the policy says ignore', async () => {
    expect(await reports(head(`client_monitor_mode: ignore\n${rule('')}`), { clientMonitor: true })).toEqual([
      'block',
      true,
      undefined,
    ]);
    expect(await reports(head(rule('')), { clientMonitor: true })).toEqual(['block', true, undefined]);
  });

  it('does not refuse for an outage in monitor mode', async () => {
    const text = `${head('mode: monitor\n')}${oneRule('{ pii.count: { gt: 0 } }').slice(head().length)}`;
    expect(await judge(text, { pii: new Unknown('failed', 'pii') })).toMatchObject({
      action: 'allow',
      unavailable: false,
    });
  });

  it('enforces a rule with rollout for a stable share of keys, and only reports it for the rest', async () => {
    const text = head(rule(', rollout: { percent: 30, by: api_key }'));
    const outcomes = await forKeys(text, 400);
    const enforced = outcomes.filter(({ action }) => action === 'block').length;
    expect(enforced / 400).toBeGreaterThan(0.2);
    expect(enforced / 400).toBeLessThan(0.4);
    expect(outcomes.every(({ fired }) => fired.length === 1)).toBe(true);
    expect(outcomes.find(({ action }) => action === 'allow')!.fired[0]!.softenedBy).toBe('rule');
    expect((await judge(text, { key: new Unknown('failed', 'key') })).action).toBe('block');
  });

  it('enforces a renamed rule with rollout for the same keys as under its oldest id', async () => {
    const text = head(rule(', rollout: { percent: 30, by: api_key }'));
    const selected = async (policy: string) => (await forKeys(policy, 200)).map(({ action }) => action);
    const before = await selected(text);
    expect(await selected(text.replace('id: t,', 'id: t.two, formerly: [t],'))).toEqual(before);
    expect(await selected(text.replace('id: t,', 'id: t.three, formerly: [t, t.two],'))).toEqual(before);
    expect(await selected(text.replace('id: t,', 'id: t.two,'))).not.toEqual(before);
  });
});

describe('An exception in a policy', () => {
  const EXPIRES = '2026-12-31T23:59:59Z';
  const text = (more: string): string => `${head()}${DETECTORS}
rules:
  - { id: t, stage: pre, when: { pii.count: { gt: 0 } }, then: { action: block }, on_unknown: match }
exceptions:
  - id: EX-1
    rules: [t]
    because: contract
    approved_by: dpo@acme.example
    ticket: SEC-1
    expires: ${EXPIRES}
    ${more}
`;
  const hit = { pii: found('EMAIL') };

  it('is reported with the softened rule and the effect that the exception prevented', async () => {
    const excepted = async (policy: string, more: Partial<EvaluateInput> = {}) =>
      (await judge(policy, hit, more)).excepted;
    const kept = { rule: 't', exception: 'EX-1', kept: 'block', unavailable: false };
    expect(await excepted(text('effect: skip'))).toEqual([kept]);
    expect(await excepted(text('effect: monitor'))).toEqual([kept]);
    expect(await excepted(text('effect: skip'), { nowMs: Date.parse(EXPIRES) })).toEqual([]);
    const nothing = [{ ...kept, kept: null }];
    expect(await excepted(text('effect: skip').replace('action: block', 'action: flag'))).toEqual(nothing);
    const reporting = text('effect: skip').replace('on_unknown', 'mode: monitor, review_by: 2027-01-01, on_unknown');
    expect(await excepted(reporting)).toEqual(nothing);
    const honour = text('effect: skip').replace('detectors:', 'client_monitor_mode: honor\ndetectors:');
    expect(await excepted(honour, { clientMonitor: true })).toEqual(nothing);
  });

  it('marks a softened rule as unavailable if it matched only because a detector failed', async () => {
    const { excepted } = await judge(text('effect: skip'), { pii: new Unknown('failed', 'pii') });
    expect(excepted).toEqual([{ rule: 't', exception: 'EX-1', kept: 'block', unavailable: true }]);
  });

  it('turns a rule into a report that names the exception', async () => {
    const decision = await judge(text('effect: monitor'), hit);
    expect(decision).toMatchObject({ action: 'allow', exceptions: ['EX-1'] });
    expect(decision.fired[0]).toMatchObject({ enforced: false, softenedBy: 'exception', exception: 'EX-1' });
  });

  it('suppresses a rule with skip, and is still named', async () => {
    expect(await judge(text('effect: skip'), hit)).toMatchObject({ action: 'allow', fired: [], exceptions: ['EX-1'] });
  });

  it('is not named when the rule did not match', async () => {
    expect((await judge(text(''))).exceptions).toEqual([]);
  });

  it('ends exactly at the time of expires', async () => {
    const at = Date.parse(EXPIRES);
    expect((await judge(text(''), hit, { nowMs: at - 1 })).action).toBe('allow');
    expect((await judge(text(''), hit, { nowMs: at })).action).toBe('block');
    expect((await judge(text(''), hit, { nowMs: at + 1 })).action).toBe('block');
  });

  it('applies only if its condition is certainly true', async () => {
    const conditional = text('when: { app.name: hr-onboarding }');
    expect((await judge(conditional, hit)).action).toBe('block');
    expect((await judge(conditional, { ...hit, app: { id: 'a', name: 'hr-onboarding' } })).action).toBe('allow');
    expect((await judge(conditional, { ...hit, app: new Unknown('failed', 'app') })).action).toBe('block');
    const negated = text('when: { not: { app.name: web } }');
    expect((await judge(negated, { ...hit, app: new Unknown('failed', 'app') })).action).toBe('block');
    expect((await judge(negated, { ...hit, app: { id: 'a', name: 'x' } })).action).toBe('allow');
  });
});
