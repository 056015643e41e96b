import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { PLUGINS } from '../../core/policy/testdata/plugins.js';
import { head, policyOf } from '../../core/policy/testdata/sample-policy.js';
import { comparePolicies, WitnessSearch } from './index.js';

const options = { plugins: PLUGINS, nowMs: Date.parse('2026-11-21T09:00:00Z'), first: true, maxRequests: 50 };

/** Two rules that refuse calls for different reasons: where both match, the reason of the severe one is told. */
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

/** The second policy with everything from the first that is the same in both, as versions of one policy have it. */
function versions(before: string, after: string): readonly [CompiledPolicy, CompiledPolicy] {
  const [base, next] = [policyOf(before), policyOf(after)];
  return [base, { ...base, rules: next.rules, stages: next.stages }];
}

describe('WitnessSearch', () => {
  it.each([
    ['finds what only some requests show, which are not the first ones that a rule by itself tells', 'a, b, c', 1],
    ['finds nothing where another rule always has the word', 'a, b', 0],
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
