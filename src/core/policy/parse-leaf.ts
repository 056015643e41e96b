import type { FactDefinition, FactType } from '../model/fact.js';
import { CLOCK_ROOT, isTimeZone } from '../facts/clock-facts.js';
import { findFact } from '../facts/registry.js';
import { MAX_PATH_DEPTH, splitFactName } from '../facts/read-path.js';
import type { Absence, Leaf } from './condition-tree.js';
import { operatorNamed, oppositeOf, OPERATOR_NAMES, readsFact } from './operators.js';
import type { ConditionContext } from './condition-context.js';
import { parseOperand } from './parse-operand.js';
import { keySpan, valueOf, type Entry, type MapNode, type Node, type Span } from './source/node.js';
import { checkKeys } from './source/shape.js';

/** The engine's operator names, as used by leaves in its format. */
export const RAW_OPERATORS: Readonly<Record<string, { readonly op: string; readonly negated?: true }>> = {
  equal: { op: 'eq' },
  notEqual: { op: 'ne' },
  in: { op: 'in' },
  notIn: { op: 'not_in' },
  contains: { op: 'contains' },
  doesNotContain: { op: 'contains', negated: true },
  lessThan: { op: 'lt' },
  lessThanInclusive: { op: 'lte' },
  greaterThan: { op: 'gt' },
  greaterThanInclusive: { op: 'gte' },
};

const TYPE_NAMES: Readonly<Record<FactType, string>> = {
  string: 'string',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  string_set: 'a set of strings',
  tool_calls: 'a list of tool calls',
  tool_results: 'a list of tool results',
  any: 'any value',
  flow: 'a data flow',
};

/** Reads `fact: { operator: value }`, or `fact: value` for equality. */
export function parseLeaf({ key, keySpan: span, value }: Entry, context: ConditionContext): Leaf | undefined {
  const fact = resolveFact(key, span, context);
  if (fact === undefined) return undefined;
  if (fact.type === 'flow') return makeLeaf(key, span, fact, 'flow', value, span, context);
  if (value.kind === 'seq') {
    const hint = fact.type === 'string_set' ? `write { any_of: […] }` : 'write { in: […] }';
    context.problems.add('G102', value.span, 'a list needs an operator', hint);
    return undefined;
  }
  if (value.kind === 'scalar') return makeLeaf(key, span, fact, 'eq', value, value.span, context);
  const [entry, second] = value.entries;
  if (entry === undefined) {
    context.problems.add(
      'G109',
      value.span,
      'the condition has no operator',
      `known: ${operatorsFor(fact).join(', ')}`,
    );
    return undefined;
  }
  if (second !== undefined) {
    context.problems.add(
      'G112',
      second.keySpan,
      'a condition has one operator: write a second condition for this operator',
    );
    return undefined;
  }
  return makeLeaf(key, span, fact, entry.key, entry.value, entry.keySpan, context);
}

/** Reads a leaf in the engine's own form: `{ fact, path?, operator, value }`. */
export function parseRawLeaf(node: MapNode, context: ConditionContext): Leaf | undefined {
  const { problems } = context;
  checkKeys(node, ['fact', 'path', 'operator', 'value'], 'a raw condition', problems);
  const root = textOf(valueOf(node, 'fact'));
  const path = valueOf(node, 'path');
  const operator = textOf(valueOf(node, 'operator'));
  const value = valueOf(node, 'value');
  if (
    root === undefined ||
    operator === undefined ||
    value === undefined ||
    (path !== undefined && textOf(path) === undefined)
  ) {
    problems.add('G006', node.span, 'a raw condition needs "fact", "operator" and "value", and "path" is a text');
    return undefined;
  }
  const name = [root, ...(textOf(path)?.replace(/^\$\./, '').split('.') ?? [])].join('.');
  const fact = resolveFact(name, path?.span ?? keySpan(node, 'fact'), context);
  if (fact === undefined) return undefined;
  const raw = Object.hasOwn(RAW_OPERATORS, operator) ? RAW_OPERATORS[operator]! : { op: operator };
  const at = valueOf(node, 'operator')!.span;
  const leaf = makeLeaf(name, node.span, fact, raw.op, value, at, context);
  return leaf !== undefined && 'negated' in raw ? { ...leaf, op: oppositeOf(leaf.op) } : leaf;
}

function textOf(node: Node | undefined): string | undefined {
  return node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
}

/** Names that authors often try when they want to search for words in a text. */
const TEXTS: ReadonlySet<string> = new Set(['text', 'prompt', 'content', 'message', 'messages', 'input', 'output']);
const FOR_TEXTS =
  'only a detector can search for words: add one with plugin: keywords@^1 or regex@^1, and use its types';

/** Finds a fact by name and checks that it is available at the rule's stages. */
export function resolveFact(name: string, span: Span, context: ConditionContext): FactDefinition | undefined {
  const { problems } = context;
  if (isTemplate(name)) {
    problems.add(
      'G141',
      span,
      `"${name}" is not a fact name`,
      'write plain names joined by dots: no JSONPath, no templates',
    );
    return undefined;
  }
  const fact = findFact(context.facts, name);
  if (fact === undefined) {
    const { root } = splitFactName(name);
    if (context.broken.includes(root)) return undefined;
    if (context.dormant.includes(root)) {
      problems.add('G121', span, `the policy has no detector "${root}"`, `enable it under \`detectors\``);
    } else if (root === CLOCK_ROOT) {
      problems.add(
        'G101',
        span,
        `unknown fact "${name}"`,
        'write the hour or the weekday in a time zone: clock.hour.Europe/Berlin',
      );
    } else {
      const hint = TEXTS.has(root) ? FOR_TEXTS : problems.suggest(name, namesOf(context.facts));
      problems.add('G101', span, `unknown fact "${name}"`, hint);
    }
    return undefined;
  }
  const { root, path } = splitFactName(name);
  if (root === CLOCK_ROOT && (path.length !== 2 || !isTimeZone(path[1]!))) {
    problems.add(
      'G101',
      span,
      `"${name}" does not end with a time zone`,
      'expected an IANA time zone such as Europe/Berlin or UTC',
    );
    return undefined;
  }
  const missing = context.stages.filter((stage) => !fact.stages.includes(stage));
  if (missing.length > 0) {
    const where = fact.stages.join(', ');
    problems.add('G120', span, `"${name}" is not available at stage ${missing.join(', ')}`, `available at: ${where}`);
  }
  return fact;
}

function* namesOf(facts: readonly FactDefinition[]): Iterable<string> {
  for (const { name } of facts) yield name;
}

const FORBIDDEN_PARTS = new Set(['', '__proto__', 'constructor', 'prototype']);

function isTemplate(name: string): boolean {
  const parts = name.split('.');
  const isForbidden = parts.some((part) => FORBIDDEN_PARTS.has(part));
  return isForbidden || parts.length > MAX_PATH_DEPTH || /[\s$*?()[\]{}@'"`\\]/.test(name);
}

function makeLeaf(
  name: string,
  span: Span,
  fact: FactDefinition,
  op: string,
  operand: Node,
  opSpan: Span,
  context: ConditionContext,
): Leaf | undefined {
  const { problems } = context;
  if (!OPERATOR_NAMES.includes(op)) {
    const hint = problems.suggest(op, OPERATOR_NAMES) ?? `for "${name}": ${operatorsFor(fact).join(', ')}`;
    problems.add('G102', opSpan, `unknown operator "${op}"`, hint);
    return undefined;
  }
  const { definition } = operatorNamed(op)!;
  if (!readsFact(definition, fact)) {
    const needed = definition.ofToolNames ? 'the name of a tool' : needs(definition.reads);
    const message = `operator "${op}" needs ${needed}, "${name}" is ${TYPE_NAMES[fact.type]}`;
    problems.add('G103', opSpan, message, `for "${name}": ${operatorsFor(fact).join(', ')}`);
    return undefined;
  }
  const value = parseOperand(operand, { name, fact, op, kind: definition.value }, context);
  if (value === undefined) return undefined;
  const flipped = op === 'exists' && value === false;
  const compared = typeof value === 'object' && 'fact' in value ? findFact(context.facts, value.fact) : undefined;
  return {
    kind: 'leaf',
    fact: name,
    op: flipped ? oppositeOf('exists') : op,
    value: flipped ? true : value,
    absence: absenceOf(fact, op),
    clientControlled: fact.clientControlled,
    span,
    ...(compared?.clientControlled === true && { isComparedWithCallers: true }),
    ...((fact.isToolName === true || compared?.isToolName === true) && { isToolName: true }),
    ...(fact.detector === undefined ? {} : { detector: fact.detector }),
    ...(fact.ledger === undefined ? {} : { ledger: fact.ledger }),
  };
}

/** A count per code is missing if nothing was found: it is compared as 0, and does not exist. */
function absenceOf(fact: FactDefinition, op: string): Absence {
  if (!fact.optional) return 'unknown';
  const isCount = fact.detector !== undefined && fact.unit === 'items';
  return isCount && op !== 'exists' ? 'absent_zero' : 'absent_ok';
}

function operatorsFor(fact: FactDefinition): string[] {
  return OPERATOR_NAMES.filter((name) => readsFact(operatorNamed(name)!.definition, fact));
}

function needs(reads: readonly FactType[]): string {
  if (reads.includes('number') && reads.includes('string')) return 'a single value';
  if (reads.includes('number')) return 'a number';
  if (reads.includes('string_set'))
    return reads.includes('string') ? 'a string or a set of strings' : 'a set of strings';
  if (reads.includes('string')) return 'a string';
  return reads.includes('tool_calls') ? 'a list of tool calls or results' : 'a data flow';
}
