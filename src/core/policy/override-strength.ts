import { strengthOf } from '../model/actions.js';
import { normalForm, type Condition } from './condition-tree.js';
import type { ConditionContext } from './condition-context.js';
import { implies } from './implied-condition.js';
import type { AppliedOverride } from './overrides.js';
import { MAX_CONDITIONS, parseCondition } from './parse-condition.js';
import { entitiesOf, targetOf, type EntityContext } from './redact-entities.js';
import { nodeAt, valueOf, type MapNode, type Node } from './source/node.js';
import { Problems } from './source/problems.js';

/** Limits the cost: the comparison of two large conditions takes quadratic time. */
const MAX_STEPS = 1_000_000;

/** The limits of all comparisons of one policy together. */
export interface ComparisonLimits {
  readonly effort: { steps: number };
  readonly size: { conditions: number };
  /** Receives problems that are reported elsewhere: those of a replaced condition and of its replacement. */
  readonly silent: Problems;
}

export function comparisonLimits(): ComparisonLimits {
  return { effort: { steps: MAX_STEPS }, size: { conditions: 0 }, silent: new Problems() };
}

interface StrengthContext extends EntityContext {
  readonly conditions: Omit<ConditionContext, 'stages'>;
  readonly defaultOnUnknown: 'match' | 'no_match' | undefined;
  readonly isDefaultBlock: boolean;
  readonly comparison: ComparisonLimits;
}

/**
 * Reports each override that may weaken its rule without `weakens: true` (G305). Both forms of the rule are compared by their effective
 * values, with lists and defaults applied. A changed condition must match at least the calls that it matched before; if this cannot be
 * shown, the override counts as weaker.
 */
export function checkOverrides(overrides: readonly AppliedOverride[], context: StrengthContext): void {
  for (const { before, after, ruleSpan, weakens } of overrides) {
    if (weakens || before === after) continue;
    const ways = waysToWeaken(before, after, context);
    if (ways.length === 0) continue;
    const message = `this override weakens the rule (${ways.join(', ')}) but does not say so`;
    context.problems.add('G305', ruleSpan, message, 'add "weakens: true" if this is intended');
  }
}

function waysToWeaken(before: MapNode, after: MapNode, context: StrengthContext): string[] {
  const [was, is] = [effective(before, context.defaultOnUnknown), effective(after, context.defaultOnUnknown)];
  const isAllow = was.action === 'allow' && is.action === 'allow';
  // With `default: allow`, an allow rule is only an annotation.
  if (isAllow && !context.isDefaultBlock) return [];
  // An allow rule that applies to more calls lets more of them through, so its two forms are compared in reverse.
  const [from, to] = isAllow ? [is, was] : [was, is];
  const doesMask = was.action === 'redact' && is.action === 'redact';
  const ways: Readonly<Record<string, boolean>> = {
    'a weaker action': strengthOf(is.action) < strengthOf(was.action),
    'another stage': was.stage !== is.stage,
    [isAllow ? 'no monitor mode' : 'monitor mode']: to.isMonitored && !from.isMonitored,
    [isAllow ? 'a larger rollout' : 'a smaller rollout']: to.percent < from.percent,
    'on_unknown: no_match': is.onUnknown === 'no_match' && was.onUnknown === 'match',
    'fewer entities': doesMask && mayMaskFewer(was.entities, is.entities, context),
    'stable tokens': doesMask && is.hasStableTokens && !was.hasStableTokens,
    'restored values': doesMask && is.isRestored && !was.isRestored,
    [isAllow ? 'a condition that may match more calls' : 'a condition that may match fewer calls']: mayMatchFewer(
      from.when,
      to.when,
      context,
    ),
  };
  return Object.keys(ways).filter((way) => ways[way]);
}

/** Whether it is not shown that a condition matches every call that another one matches. */
function mayMatchFewer(from: Node | undefined, to: Node | undefined, context: StrengthContext): boolean {
  if (from === to || from === undefined || to === undefined) return false;
  const { effort, size, silent } = context.comparison;
  const parse = (node: Node): Condition | undefined =>
    parseCondition(node, { ...context.conditions, stages: [], size, problems: silent });
  const [narrow, wide] = [parse(from), parse(to)];
  // The problems of an invalid condition are reported elsewhere.
  if (narrow === undefined || wide === undefined) return size.conditions > MAX_CONDITIONS;
  return !implies(normalForm(narrow), normalForm(wide), { lists: context.conditions.lists, effort });
}

/** Whether it is not shown that a list of entities contains all entries of another one. */
function mayMaskFewer(was: Node | undefined, is: Node | undefined, context: StrengthContext): boolean {
  if (was === is || was === undefined || is === undefined) return false;
  const [before, after] = [maskedBy(was, context), maskedBy(is, context)];
  return context.comparison.effort.steps <= 0 || [...before].some((entity) => !after.has(entity));
}

/** The masked entities as `detector/code`; one that no detector finds stays as written. */
function maskedBy(list: Node, context: StrengthContext): ReadonlySet<string> {
  if (list.kind === 'map') return new Set();
  const { effort, silent: problems } = context.comparison;
  const silent = { ...context, problems };
  const items = list.kind === 'seq' ? list.items : [];
  const texts = items.flatMap((item) => (item.kind === 'scalar' ? [String(item.value)] : []));
  const entities = entitiesOf(list.kind === 'scalar' ? String(list.value) : texts, list, silent);
  effort.steps -= entities.length * context.detectors.length;
  if (effort.steps <= 0) return new Set();
  return new Set(
    entities.map((entity) => {
      const target = targetOf(entity, () => undefined, silent);
      return target === undefined ? entity : `${target.detector}/${target.code}`;
    }),
  );
}

/** The values of a rule that decide how strong it is. An invalid value counts as missing; its problem is reported elsewhere. */
function effective(node: MapNode, defaultOnUnknown: StrengthContext['defaultOnUnknown']) {
  const scalar = (...path: string[]): unknown => {
    const found = nodeAt(node, ...path);
    return found?.kind === 'scalar' ? found.value : undefined;
  };
  const action = String(scalar('then', 'action'));
  const percent = scalar('rollout', 'percent');
  const onUnknown = scalar('on_unknown') ?? defaultOnUnknown ?? (action === 'flag' ? 'no_match' : 'match');
  return {
    action,
    when: valueOf(node, 'when'),
    stage: scalar('stage'),
    isMonitored: scalar('mode') === 'monitor',
    percent: typeof percent === 'number' ? percent : 100,
    // The setting has no meaning for an allow rule.
    onUnknown: action === 'allow' ? undefined : onUnknown,
    entities: nodeAt(node, 'then', 'redact', 'entities'),
    hasStableTokens: scalar('then', 'redact', 'tokens') === 'stable',
    isRestored: scalar('then', 'redact', 'restore') === true,
  };
}
