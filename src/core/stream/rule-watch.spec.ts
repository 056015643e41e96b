import type { GrowingAnswer } from '../judge/index.js';
import type { Decision } from '../model/decision.js';
import { planAnswer } from './answer-plan.js';
import { answerCall } from './assemble-stream.js';
import { RuleWatch } from './rule-watch.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';

const { policy, detectors } = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'));
const CALL = answerCall('generic', [], []);

describe('RuleWatch', () => {
  it('asks for a new look at the texts that wait only if rules or masks have changed', async () => {
    let decision = { fired: [], leaves: {}, redact: [] } as unknown as Decision;
    const answer = { judgeTexts: () => Promise.resolve(decision), redact: [] } as unknown as GrowingAnswer;
    const watch = new RuleWatch(policy, planAnswer(policy, detectors), answer);
    const isChanged = (): Promise<boolean> => watch.update(CALL, {});
    expect([watch.isFinal, await isChanged(), await isChanged()]).toEqual([false, true, false]);
    expect([watch.isOpen('marks', 'TICKET'), watch.isFinal]).toEqual([true, false]);
    decision = { ...decision, fired: [{ rule: 'mask.all' }] } as unknown as Decision;
    expect([await isChanged(), await isChanged()]).toEqual([true, false]);
    expect([watch.isOpen('marks', 'TICKET'), watch.isFinal]).toEqual([false, true]);
    decision = { ...decision, redact: [{ targets: [], with: '[{type}]' }] } as unknown as Decision;
    expect([await isChanged(), await isChanged()]).toEqual([true, false]);
  });
});
