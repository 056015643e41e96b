import { parseOperatorName } from '../../core/decision/policy-runtime.js';
import { comparedFact, engineLeaves, LISTS_FACT, type EngineLeaf } from '../../core/policy/engine-rules.js';
import { operatorNamed, OPERATOR_NAMES, type FlowStep, type Predicate } from '../../core/policy/operators.js';
import type { PolicySources, SourcePlace } from '../../core/model/policy-sources.js';
import { inlineYaml } from './inline-yaml.js';

/** One line of an effective policy, and its origin. */
export interface RenderedLine {
  readonly text: string;
  readonly at?: SourcePlace;
}

/**
 * Writes a compiled condition in the format of a policy file, one leaf per line. Negation is at the leaves, where the server evaluates it;
 * a group from `use:` is expanded, with its name as a comment.
 *
 * @param indent the beginning of the first line
 */
export function renderCondition(condition: object, sources: PolicySources, indent: string): RenderedLine[] {
  if ('fact' in condition) {
    const leaf = condition as EngineLeaf;
    const at = sources.leaves[leaf.name]?.at;
    return [{ text: `${indent}${renderLeaf(leaf)}`, ...(at !== undefined && { at }) }];
  }
  const kind = 'all' in condition ? 'all' : 'any';
  const items = (condition as Record<string, readonly object[]>)[kind] ?? [];
  const name = 'name' in condition ? `  # ${String(condition.name)}` : '';
  const first = engineLeaves(condition)[0];
  const at = first === undefined ? undefined : sources.leaves[first.name]?.at;
  const inner = `${' '.repeat(indent.length)}    `;
  return [
    { text: `${indent}${kind}:${name}`, ...(name !== '' && at !== undefined && { at }) },
    ...items.flatMap((item) => renderCondition(item, sources, `${inner.slice(0, -2)}- `)),
  ];
}

/** Writes a leaf in the format of a policy file, without indentation: `pii.types: { any_of: [EMAIL] }`. */
export function renderLeaf({ fact, path, operator, value }: EngineLeaf): string {
  const name = path === undefined ? fact : `${fact}.${path}`;
  const { op } = parseOperatorName(operator);
  const named = operatorNamed(op);
  const written = OPERATOR_NAMES.includes(op) ? op : (named?.positive ?? op);
  const leaf =
    written === 'flow'
      ? `flow: ${inlineYaml(flowValue(value))}`
      : `${name}: ${inlineYaml({ [written]: operand(written, value) })}`;
  return written === op ? leaf : `not: { ${leaf} }`;
}

function operand(op: string, value: unknown): unknown {
  const isReference = typeof value === 'object' && value !== null && 'fact' in value && value.fact === LISTS_FACT;
  if (isReference && 'path' in value) return `$lists.${String(value.path)}`;
  const compared = comparedFact({ value });
  if (compared !== undefined) return { fact: compared };
  return op === 'some' || op === 'none' ? predicateValue(value as Predicate) : value;
}

function flowValue(value: unknown): unknown {
  const { from, to } = value as { readonly from: FlowStep; readonly to: FlowStep };
  return { from: { [from.kind]: predicateValue(from.where) }, to: { [to.kind]: predicateValue(to.where) } };
}

/** Writes a condition on one entry of a list in the format of a policy file, in one line: `{ name: { eq: send_email } }`. */
export function renderPredicate(predicate: Predicate): string {
  return inlineYaml(predicateValue(predicate));
}

function predicateValue(predicate: Predicate): unknown {
  if ('all' in predicate) return { all: predicate.all.map(predicateValue) };
  if ('any' in predicate) return { any: predicate.any.map(predicateValue) };
  if ('not' in predicate) return { not: predicateValue(predicate.not) };
  const { field, op, value } = predicate;
  const isReference = typeof value === 'object' && value !== null && 'list' in value;
  const shown = isReference ? `$lists.${String(value.list)}` : value;
  const named = operatorNamed(op);
  if (OPERATOR_NAMES.includes(op) || named === undefined) return { [field]: { [op]: shown } };
  return { not: { [field]: { [named.positive]: shown } } };
}
