import { describeRule } from '../render/index.js';
import { testsOfRule, type PolicyTestResult } from '../policy-test/index.js';
import type { CompiledPolicy, CompiledRule } from '../../core/model/compiled-policy.js';
import { policyOwners } from '../project/policy-owners.js';

/** One active rule, and its position in the files. */
export interface ListedRule {
  readonly id: string;
  readonly title: string;
  /** The rule in sentences; condition lines are indented. */
  readonly prose: string;
  readonly stage: CompiledRule['stage'];
  readonly severity: CompiledRule['severity'];
  readonly action: CompiledRule['action'];
  readonly mode: 'enforce' | 'monitor';
  readonly owner: string | null;
  readonly review_by: string | null;
  readonly formerly: readonly string[];
  readonly tags: readonly string[];
  readonly path: string;
  readonly line: number;
  readonly end_line: number;
  /** Number of tests in which the rule fires; null if the tests are not available. */
  readonly tests: number | null;
}

/**
 * The rules of a policy in the order in which they are written.
 *
 * @param files the files of the policy
 * @param results the results of the policy's tests; undefined if they are not available
 */
export function listRules(
  policy: CompiledPolicy,
  files: readonly { readonly path: string; readonly text: string }[],
  results: readonly PolicyTestResult[] | undefined,
): ListedRule[] {
  const owners = policyOwners(files.map(({ path, text }) => [path, text] as const));
  return policy.rules.map((rule) => {
    const { at, lines } = policy.sources.rules[rule.id]!;
    return {
      id: rule.id,
      title: rule.title,
      prose: describeRule(rule, policy).join('\n'),
      stage: rule.stage,
      severity: rule.severity,
      action: rule.action,
      mode: rule.monitor || policy.monitor ? 'monitor' : 'enforce',
      owner: owners.get(rule.policy) ?? null,
      review_by: rule.reviewBy ?? null,
      formerly: rule.formerly,
      tags: rule.tags,
      path: at.file,
      line: lines.first,
      end_line: lines.last,
      tests: results === undefined ? null : testsOfRule(rule.id, policy.environment, results).fires.length,
    };
  });
}
