import { strengthOf } from '../../core/model/actions.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { StageSnapshot } from '../../core/stored/index.js';
import type { Stage } from '../../core/model/fact.js';
import { askedRules, explainedConditions } from './explain-decision.js';

/** The result of a rule for a call, condition by condition. */
export interface ExplainedRule {
  readonly id: string;
  readonly stage: Stage;
  /** For stage `tool`: index of the tool call in the answer. */
  readonly tool_call: number | null;
  readonly outcome: 'matched' | 'not_matched' | 'unknown';
  readonly action: string | null;
  readonly mode: 'enforce' | 'monitor';
  readonly exception: string | null;
  readonly path: string | null;
  readonly line: number | null;
  readonly conditions: readonly {
    readonly line: number | null;
    readonly text: string;
    readonly result: boolean | null;
    readonly fact: string | null;
    /** For user-written values only type and size. Null: the fact was absent. */
    readonly value_shown: string | null;
  }[];
}

/**
 * The rules of a judged stage: first those that fired, then, with `all`, the others that were evaluated.
 *
 * @param policy the policy that judged; without it there are only results, no positions and no texts of conditions
 */
export function explainedRules(
  snapshot: Pick<StageSnapshot, 'stage' | 'tool_call' | 'leaves' | 'facts' | 'fired'>,
  policy: CompiledPolicy | undefined,
  all: boolean,
): ExplainedRule[] {
  const { stage, tool_call: toolCall, fired } = snapshot;
  const ids = new Set([...fired.map(({ rule }) => rule), ...(all ? askedRules(snapshot) : [])]);
  // Conditions of exceptions are recorded like those of rules, but are not listed.
  return [...ids]
    .filter((id) => !id.startsWith('exception:'))
    .map((id) => {
      const one = fired.find(({ rule }) => rule === id);
      const rule = policy?.rules.find((each) => each.id === id);
      const conditions = explainedConditions(id, snapshot, policy);
      const isOpen = one === undefined ? conditions.some(({ truth }) => truth === null) : one.unavailable === true;
      const isMonitored = one === undefined ? (rule?.monitor ?? false) || policy?.monitor === true : !one.enforced;
      const place = policy?.sources.rules[id]?.at;
      return {
        id,
        stage,
        tool_call: toolCall ?? null,
        outcome: isOpen ? 'unknown' : one === undefined ? 'not_matched' : 'matched',
        action: one?.action ?? rule?.action ?? null,
        mode: isMonitored ? 'monitor' : 'enforce',
        exception: one?.exception ?? null,
        path: place?.file ?? null,
        line: place?.line ?? null,
        conditions: conditions.map(({ name, truth, leaf }) => ({
          line: leaf?.line ?? null,
          text: leaf?.text ?? name,
          result: truth,
          fact: leaf?.fact ?? null,
          value_shown: leaf?.value ?? null,
        })),
      };
    });
}

/** The rule that determines a decision: the enforced rule with the strictest action, the first of several. */
export function decidingRule(stages: readonly Pick<StageSnapshot, 'fired'>[]): string | null {
  const enforced = stages.flatMap(({ fired }) => fired.filter((one) => one.enforced));
  const [first] = enforced.sort((a, b) => strengthOf(b.action) - strengthOf(a.action));
  return first?.rule ?? null;
}
