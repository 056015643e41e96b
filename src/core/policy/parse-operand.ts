import valid from 'semver/functions/valid.js';
import type { FactDefinition, FactType } from '../model/fact.js';
import type { Condition, FactReference, LeafValue, Scalar } from './condition-tree.js';
import type { FlowStep, Predicate, ValueKind } from './operators.js';
import { timeOf } from './operator-values.js';
import type { ConditionContext } from './condition-context.js';
import { kindOf, valueOf, type MapNode, type Node, type ScalarNode } from './source/node.js';
import { checkKeys } from './source/shape.js';

/** The condition to which the operand belongs. */
interface Use {
  readonly name: string;
  readonly fact: FactDefinition;
  readonly op: string;
  readonly kind: ValueKind;
}

const LIST_REFERENCE = /^\$lists\.([A-Za-z0-9_]+)$/;
const DOMAIN = /^(?:\*\.)?[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,20}$/;

/** Checks the right-hand value of an operator. Undefined after a problem. */
export function parseOperand(node: Node, use: Use, context: ConditionContext): LeafValue | undefined {
  if (node.kind === 'map' && valueOf(node, 'fact') !== undefined && comparesFacts(use)) {
    return parseReference(node, use, context);
  }
  switch (use.kind) {
    case 'scalars':
    case 'names':
      return parseList(node, use, context);
    case 'predicate':
      return parsePredicate(node, use.fact.type, context);
    case 'flow':
      return parseFlow(node, context);
    case 'scalar':
    case 'number':
    case 'text':
    case 'pattern':
    case 'time':
    case 'version':
    case 'boolean':
      return parseScalar(node, use, context);
  }
}

/** Whether an operator can compare two facts: operators of order, of time and of equality can. */
export function comparesFacts({ op, kind }: Pick<Use, 'op' | 'kind'>): boolean {
  return kind === 'number' || kind === 'time' || op === 'eq' || op === 'ne';
}

/**
 * Reads `{ fact: metadata.limit }`. Facts of detectors and budgets must be on the left, since the left fact is reported as the reason
 * for the match.
 */
function parseReference(node: MapNode, use: Use, context: ConditionContext): FactReference | undefined {
  const { problems } = context;
  checkKeys(node, ['fact', 'path'], 'a reference to a fact', problems);
  const [root, path] = ['fact', 'path'].map((key) => valueOf(node, key));
  const named = [root, path].filter((part) => part !== undefined);
  const parts = named.flatMap((part) => (part.kind === 'scalar' && typeof part.value === 'string' ? [part.value] : []));
  if (root === undefined || parts.length < named.length) {
    problems.add('G103', node.span, 'a reference to a fact consists of its name', 'write { fact: metadata.limit }');
    return undefined;
  }
  const name = parts.join('.').replace('.$.', '.');
  const other = context.resolve(name, root.span, context);
  if (other === undefined) return undefined;
  if (other.detector !== undefined || other.ledger !== undefined) {
    const hint = `swap the two sides: ${name}: { …: { fact: ${use.name} } }`;
    problems.add('G103', node.span, `"${name}" is only allowed on the left side of a comparison`, hint);
    return undefined;
  }
  if (![use.name, name].every((each) => each.isWellFormed())) {
    problems.add('G103', node.span, 'the name of a compared fact contains an incomplete character');
    return undefined;
  }
  if (areAlike(use, other)) return { fact: name };
  problems.add('G103', node.span, `"${use.name}" and "${name}" cannot be compared with "${use.op}"`);
  return undefined;
}

/** Whether values of the two facts can be compared for equality or order. */
function areAlike({ kind, fact }: Use, other: FactDefinition): boolean {
  const kinds = [fact, other].map(({ type }) => (type === 'integer' ? 'number' : type));
  const known = kinds.filter((one) => one !== 'any');
  const allowed = kind === 'number' ? ['number'] : kind === 'time' ? ['string'] : ['string', 'number', 'boolean'];
  return known.every((one) => allowed.includes(one) && one === known[0]);
}

function parseScalar(node: Node, use: Use, context: ConditionContext): Scalar | undefined {
  const { problems } = context;
  if (node.kind !== 'scalar') {
    problems.add('G103', node.span, `"${use.op}" needs a single value, found ${kindOf(node)}`);
    return undefined;
  }
  if (typeof node.value === 'string' && node.value.startsWith('$lists.')) {
    problems.add('G103', node.span, `"${use.op}" compares with one value, not with a list`, 'use "in" or "any_of"');
    return undefined;
  }
  const wanted = wantedTypes(use);
  const value = node.value;
  if (value === null || !wanted.includes(typeof value) || (typeof value === 'number' && !Number.isFinite(value))) {
    const hint = value === null ? 'to match an absent fact, write { exists: false }' : undefined;
    problems.add(
      'G103',
      node.span,
      `"${use.name}" is compared with ${kindOf(node)}, expected ${wanted.join(' or ')}`,
      hint,
    );
    return undefined;
  }
  return isMeaningful(node, value, use, context) ? value : undefined;
}

/** The JavaScript types that an operand may have. */
function wantedTypes({ kind, fact }: Use): string[] {
  if (kind === 'number') return ['number'];
  if (kind === 'boolean') return ['boolean'];
  if (kind !== 'scalar' && kind !== 'scalars') return ['string'];
  const byType: Partial<Record<FactType, string[]>> = {
    number: ['number'],
    integer: ['number'],
    boolean: ['boolean'],
    any: ['string', 'number', 'boolean'],
  };
  return byType[fact.type] ?? ['string'];
}

function isMeaningful(node: ScalarNode, value: Scalar, use: Use, context: ConditionContext): boolean {
  const { problems } = context;
  if (typeof value === 'number') return isInRange(node, value, use, context);
  if (typeof value !== 'string') return true;
  if (value === '' && use.kind !== 'scalar') {
    problems.add('G103', node.span, 'an empty text matches everything or nothing');
    return false;
  }
  if (use.kind === 'pattern') return isPattern(node, value, context);
  if (use.kind === 'time' && timeOf(value) === undefined) {
    problems.add('G103', node.span, 'expected an instant such as 2026-12-31T23:59:59Z or a day such as 2026-12-31');
    return false;
  }
  if (use.kind === 'version' && valid(value) === null) {
    problems.add('G103', node.span, 'expected a semantic version such as 1.2.0');
    return false;
  }
  return use.kind !== 'scalar' || isKnownValue(node, value, use, context);
}

function isInRange(node: ScalarNode, value: number, { name, fact }: Use, { problems }: ConditionContext): boolean {
  const { min = -Infinity, max = Infinity } = fact.range ?? {};
  if (value >= min && value <= max) return true;
  problems.add('G108', node.span, `"${name}" is between ${min} and ${max}, but the value is ${value}`);
  return false;
}

function isPattern(node: ScalarNode, value: string, { expressions, problems }: ConditionContext): boolean {
  const problem = expressions.problemOf(value);
  if (problem === undefined) return true;
  problems.add('G140', node.span, problem.message, problem.hint);
  return false;
}

/** Whether a closed vocabulary contains the value. Codes that the detector declares but does not search for are reported separately. */
function isKnownValue(node: Node, value: Scalar, { name, fact }: Use, context: ConditionContext): boolean {
  if (fact.values === undefined || fact.values.includes(String(value))) return true;
  const { problems } = context;
  const { detector } = fact;
  const declared = detector === undefined ? [] : context.declaredCodes(detector);
  if (detector !== undefined && declared.includes(String(value))) {
    const hint = `add it: detectors.${detector}.codes: { add: [${value}] }`;
    problems.add('G121', node.span, `the detector "${detector}" does not search for ${value}`, hint);
    return false;
  }
  const known = [...new Set([...fact.values, ...declared])];
  const hint = problems.suggest(String(value), known) ?? `known: ${known.slice(0, 40).join(', ')}`;
  problems.add('G107', node.span, `"${name}" is never ${JSON.stringify(value)}`, hint);
  return false;
}

function parseList(node: Node, use: Use, context: ConditionContext): LeafValue | undefined {
  const { problems } = context;
  if (node.kind === 'scalar' && typeof node.value === 'string' && node.value.startsWith('$')) {
    return parseListReference(node, node.value, use, context);
  }
  if (node.kind !== 'seq') {
    problems.add('G106', node.span, `"${use.op}" needs a list, found ${kindOf(node)}`, 'write [a, b] or $lists.name');
    return undefined;
  }
  if (node.items.length === 0) {
    problems.add('G109', node.span, 'the list is empty');
    return undefined;
  }
  const values = node.items.map((item) => parseEntry(item, use, context));
  const sound = values.filter((value) => value !== undefined);
  return sound.length === values.length ? sound : undefined;
}

function parseEntry(item: Node, use: Use, context: ConditionContext): Scalar | undefined {
  const value = parseScalar(item, { ...use, kind: use.kind === 'names' ? 'text' : 'scalar' }, context);
  if (value === undefined || use.kind !== 'names' || DOMAIN.test(String(value))) return value;
  context.problems.add(
    'G103',
    item.span,
    'expected a domain such as acme.example, or *.acme.example for its subdomains',
  );
  return undefined;
}

function parseListReference(node: Node, text: string, use: Use, context: ConditionContext): LeafValue | undefined {
  const { problems, lists } = context;
  const name = LIST_REFERENCE.exec(text)?.[1];
  const entries = name === undefined ? undefined : lists.get(name);
  if (name === undefined || entries === undefined) {
    const hint =
      problems.suggest(
        text,
        [...lists.keys()].map((key) => `$lists.${key}`),
      ) ?? 'define it under `lists`';
    problems.add('G105', node.span, `unknown list ${JSON.stringify(text)}`, hint);
    return undefined;
  }
  const wanted = use.kind === 'names' ? ['string'] : wantedTypes(use);
  const odd = entries.find((entry) => !wanted.includes(typeof entry));
  if (odd !== undefined) {
    problems.add('G103', node.span, `the list "${name}" has entries that are not ${wanted.join(' or ')}`);
    return undefined;
  }
  if (use.kind === 'names' && entries.some((entry) => !DOMAIN.test(String(entry)))) {
    problems.add('G103', node.span, `the list "${name}" has entries that are not domains`);
    return undefined;
  }
  return entries.every((entry) => isKnownValue(node, entry, use, context)) ? { list: name } : undefined;
}

const ELEMENT_FACTS: readonly FactDefinition[] = [
  { name: 'name', type: 'string', summary: 'The name of the tool.', isToolName: true as const },
  { name: 'args.*', type: 'any', summary: 'An argument of the call.', optional: true },
  { name: 'index', type: 'integer', summary: 'The place in the list, from 0.', range: { min: 0 } },
].map((fact) => ({ stages: [], optional: false, clientControlled: false, ...fact }) as FactDefinition);

/** The facts of one element: calls have arguments, results and events do not. */
function elementFacts(type: FactType): readonly FactDefinition[] {
  return type === 'tool_calls' ? ELEMENT_FACTS : ELEMENT_FACTS.filter((fact) => fact.name !== 'args.*');
}

function parsePredicate(node: Node, type: FactType, context: ConditionContext): Predicate | undefined {
  const inner = {
    ...context,
    facts: elementFacts(type),
    stages: [],
    dormant: [],
    broken: [],
    conditions: new Map<string, Node>(),
  };
  const condition = context.parse(node, inner);
  return condition === undefined ? undefined : predicateOf(condition);
}

function predicateOf(condition: Condition): Predicate {
  switch (condition.kind) {
    case 'leaf':
      return { field: condition.fact, op: condition.op, value: condition.value };
    case 'not':
      return { not: predicateOf(condition.item) };
    case 'all':
      return { all: condition.items.map(predicateOf) };
    case 'any':
      return { any: condition.items.map(predicateOf) };
  }
}

function parseFlow(node: Node, context: ConditionContext): { from: FlowStep; to: FlowStep } | undefined {
  const { problems } = context;
  const from = valueOf(node, 'from');
  const to = valueOf(node, 'to');
  if (node.kind !== 'map' || from === undefined || to === undefined) {
    const hint = 'write { from: { tool_result: { name: … } }, to: { tool_call: { name: … } } }';
    problems.add('G006', node.span, '"flow" needs "from" and "to"', hint);
    return undefined;
  }
  checkKeys(node, ['from', 'to'], 'flow', problems);
  const first = parseStep(from, ['tool_result', 'tool_call'], context);
  const second = parseStep(to, ['tool_call'], context);
  return first === undefined || second === undefined ? undefined : { from: first, to: second };
}

function parseStep(node: Node, kinds: readonly FlowStep['kind'][], context: ConditionContext): FlowStep | undefined {
  const [entry, ...others] = node.kind === 'map' ? node.entries : [];
  if (node.kind !== 'map' || entry === undefined || others.length > 0) {
    context.problems.add('G007', node.span, `expected one of ${kinds.join(', ')} with a condition on its name`);
    return undefined;
  }
  const kind = kinds.find((candidate) => candidate === entry.key);
  if (kind === undefined) {
    checkKeys(node, kinds, 'a step of flow', context.problems);
    return undefined;
  }
  const where = parsePredicate(entry.value, 'tool_results', context);
  return where === undefined ? undefined : { kind, where };
}
