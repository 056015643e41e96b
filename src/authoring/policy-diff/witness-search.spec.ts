import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { PLUGINS } from '../../core/policy/testdata/plugins.js';
import { head, policyOf } from '../../core/policy/testdata/sample-policy.js';
import { comparePolicies, WitnessSearch } from './index.js';

const options = { plugins: PLUGINS, nowMs: Date.parse('2026-11-21T09:00:00Z'), first: true, maxRequests: 50 };

/** Two rules that refuse calls for different reasons: if both match, the reason of the more severe one is reported. */
function policyText(models: string, reason: string): string {
  return `${head()}rules:
  - id: severe
    stage: post
    severity: critical
    when: { model.name: { in: [a, b] } }
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
  - id: slight
    stage: post
    severity: low
    when: { model.name: { in: [${models}] } }
    then: { action: block, reason: ${reason} }
    on_unknown: match
`;
}

/** Two policies that share the objects of equal parts, like two versions of one policy. */
function versions(before: string, after: string): readonly [CompiledPolicy, CompiledPolicy] {
  const [base, next] = [policyOf(before), policyOf(after)];
  return [base, { ...base, rules: next.rules, stages: next.stages }];
}

describe('WitnessSearch', () => {
  it.each([
    [
      'finds a change that shows only in some requests, none of which is among the first for the rule alone',
      'a, b, c',
      1,
    ],
    ['finds nothing if another rule always determines the reason', 'a, b', 0],
  ])('%s', async (_what, models, found) => {
    const [base, next] = versions(
      policyText(models, 'content_policy_violation'),
      policyText(models, 'tool_use_blocked'),
    );
    const whole = await comparePolicies(base, next, options);
    expect(whole.changes).toHaveLength(found);
    expect(await new WitnessSearch(base, options).against(next, ['slight'])).toEqual(whole);
  });
});
