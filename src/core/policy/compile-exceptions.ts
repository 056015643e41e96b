import type { Stage } from '../model/fact.js';
import type { CompiledException } from '../model/compiled-policy.js';
import { leavesOf, normalForm, type NormalCondition } from './condition-tree.js';
import { reportSoftening, type RuleContext, type RuleSource } from './compile-rules.js';
import { parseCondition } from './parse-condition.js';
import { EXCEPTION } from './policy-format.js';
import type { Owned } from './resolve.js';
import { valueOf, type MapNode } from './source/node.js';

export interface ExceptionSource {
  readonly exception: CompiledException;
  readonly condition?: NormalCondition;
  /** The stages of the rules that the exception names. */
  readonly stages: readonly Stage[];
  readonly node: MapNode;
}

/** The ids of the policy's rules, whether or not they compile, and their former ids. */
export interface RuleIds {
  readonly written: ReadonlySet<string>;
  readonly former: ReadonlyMap<string, string>;
}

/**
 * Checks one exception and returns its typed form. An exception softens only the rules that it names, and only if its condition certainly
 * holds.
 */
export function compileException(
  { node }: Owned,
  rules: ReadonlyMap<string, RuleSource>,
  ids: RuleIds,
  context: RuleContext,
): ExceptionSource | undefined {
  const fields = EXCEPTION.read(node, context.problems);
  const named = rulesOf(node, rules, ids, context);
  const stages = [...new Set(named.map(({ rule }) => rule.stage))];
  const when = valueOf(node, 'when');
  const written = when && parseCondition(when, { ...context.conditions, stages });
  if (fields === undefined || (when !== undefined && written === undefined)) return undefined;
  const condition = written && normalForm(written);
  if (context.environment === 'production' && fields.client_controlled !== 'accepted') {
    for (const leaf of condition === undefined ? [] : leavesOf(condition)) {
      if (leaf.clientControlled || leaf.isComparedWithCallers) reportSoftening(leaf, context.problems);
    }
  }
  return {
    stages,
    node,
    ...(condition && { condition }),
    exception: {
      id: fields.id,
      rules: named.map(({ rule }) => rule.id).sort(),
      effect: fields.effect ?? 'monitor',
      because: fields.because,
      approvedBy: fields.approved_by,
      ticket: fields.ticket,
      conditional: condition !== undefined,
      expiresAtMs: fields.expires,
    },
  };
}

function rulesOf(
  node: MapNode,
  rules: ReadonlyMap<string, RuleSource>,
  ids: RuleIds,
  { problems }: RuleContext,
): RuleSource[] {
  const list = valueOf(node, 'rules');
  return (list?.kind === 'seq' ? list.items : []).flatMap((item) => {
    if (item.kind !== 'scalar' || typeof item.value !== 'string') return [];
    const id = ids.former.get(item.value) ?? item.value;
    const found = rules.get(id);
    if (found !== undefined) return [found];
    // The rule exists but does not compile: the problem was reported at the rule.
    if (ids.written.has(id)) return [];
    const hint = /[*?]/.test(id)
      ? 'an exception names each rule: wildcards are not allowed'
      : problems.suggest(id, ids.written);
    problems.add('G020', item.span, `there is no rule "${id}"`, hint);
    return [];
  });
}
