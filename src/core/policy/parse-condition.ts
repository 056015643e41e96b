import type { ConditionContext } from './condition-context.js';
import type { Condition } from './condition-tree.js';
import { parseLeaf, parseRawLeaf } from './parse-leaf.js';
import { entryOf, kindOf, type Entry, type Node } from './source/node.js';

const GROUPS = ['all', 'any'] as const;

/**
 * The maximum number of conditions of a policy. Each is evaluated for every call, and named conditions that use each other are expanded:
 * ten short lines could otherwise expand to millions.
 */
export const MAX_CONDITIONS = 10_000;

/**
 * Reads one condition: a group (`all`, `any`), `not`, `use`, or a leaf. Undefined after a problem; the other parts of the condition are
 * still checked.
 */
export function parseCondition(
  node: Node,
  context: ConditionContext,
  trail: readonly string[] = [],
): Condition | undefined {
  context.size.conditions += 1;
  if (context.size.conditions > MAX_CONDITIONS) {
    if (context.size.conditions === MAX_CONDITIONS + 1) {
      const message = `the policy has more than ${MAX_CONDITIONS} conditions`;
      context.problems.add(
        'G010',
        node.span,
        message,
        'a named condition is counted at each use; a list of values is counted once',
      );
    }
    return undefined;
  }
  if (node.kind !== 'map') {
    context.problems.add('G007', node.span, `expected a condition such as "model.name: gpt-4o", found ${kindOf(node)}`);
    return undefined;
  }
  if (entryOf(node, 'fact') !== undefined && entryOf(node, 'operator') !== undefined)
    return parseRawLeaf(node, context);
  const [entry, second] = node.entries;
  if (entry === undefined) {
    context.problems.add('G109', node.span, 'the condition is empty');
    return undefined;
  }
  if (second !== undefined) {
    const message = 'a condition has one key: write each condition as its own entry of "all" or "any"';
    context.problems.add('G112', second.keySpan, message);
    return undefined;
  }
  const group = GROUPS.find((kind) => kind === entry.key);
  if (group !== undefined) return parseGroup(group, entry, context, trail);
  if (entry.key === 'not') {
    const item = parseCondition(entry.value, context, trail);
    return item === undefined ? undefined : { kind: 'not', item };
  }
  return entry.key === 'use' ? parseUse(entry.value, context, trail) : parseLeaf(entry, context);
}

function parseGroup(
  kind: 'all' | 'any',
  { keySpan, value }: Entry,
  context: ConditionContext,
  trail: readonly string[],
): Condition | undefined {
  if (value.kind !== 'seq') {
    context.problems.add('G106', value.span, `"${kind}" needs a list of conditions, found ${kindOf(value)}`);
    return undefined;
  }
  if (value.items.length === 0) {
    context.problems.add('G109', keySpan, `"${kind}" is empty`, 'an empty group would hold for every call');
    return undefined;
  }
  const items: (Condition | undefined)[] = [];
  for (const item of value.items) {
    if (context.size.conditions > MAX_CONDITIONS) return undefined;
    items.push(parseCondition(item, context, trail));
  }
  const sound = items.filter((item) => item !== undefined);
  return sound.length === items.length ? { kind, items: sound } : undefined;
}

/**
 * Inlines a named condition and keeps its name. The engine's own references would lose the name, and a cycle would overflow its stack.
 */
function parseUse(node: Node, context: ConditionContext, trail: readonly string[]): Condition | undefined {
  const name = node.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
  const target = name === undefined ? undefined : context.conditions.get(name);
  if (name === undefined || target === undefined) {
    const shown = name === undefined ? kindOf(node) : `"${name}"`;
    const hint = context.problems.suggest(name ?? '', context.conditions.keys());
    context.problems.add('G104', node.span, `unknown condition ${shown}`, hint ?? 'define it under `conditions`');
    return undefined;
  }
  if (trail.includes(name)) {
    context.problems.add('G104', node.span, `conditions use each other in a circle: ${[...trail, name].join(' -> ')}`);
    return undefined;
  }
  if (trail.length >= 10) {
    context.problems.add('G104', node.span, 'conditions use each other more than 10 levels deep');
    return undefined;
  }
  const condition = parseCondition(target, context, [...trail, name]);
  if (condition === undefined) return undefined;
  return condition.kind === 'leaf' || condition.kind === 'not'
    ? { kind: 'all', items: [condition], name }
    : { ...condition, name };
}
