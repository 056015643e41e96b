import { append } from '../steps/steps.js';
import type { RE2JS } from 're2js';
import gte from 'semver/functions/gte.js';
import valid from 'semver/functions/valid.js';
import { readPath, splitFactName } from '../facts/read-path.js';
import { toolNameForm, ToolNames } from '../call/tool-name.js';
import { Unknown, type FactDefinition, type FactType, type FactValue } from '../model/fact.js';
import { emailDomains, foldCase, nameMatches, numberOf, timeOf, urlHost } from './operator-values.js';
import { allOf, anyOf, not, type Verdict } from './verdict.js';

/** A fact with a value; null is an absent optional fact. */
export type KnownValue = Exclude<FactValue, Unknown>;

/** Further input of an operator besides the two values: objects created once per policy. */
export interface OperatorContext {
  list(name: string): readonly unknown[];
  pattern(source: string): RE2JS;
}

/** The kind of an operator's right-hand value, which the compiler checks. */
export type ValueKind =
  | 'scalar'
  | 'scalars'
  | 'number'
  | 'text'
  | 'pattern'
  | 'time'
  | 'version'
  | 'boolean'
  | 'names'
  | 'predicate'
  | 'flow';

export interface OperatorDefinition {
  /** Types of facts that the operator reads. */
  readonly reads: readonly FactType[];
  readonly value: ValueKind;
  readonly summary: string;
  /** The name of its exact opposite: true where this is false, and undecided where this is undecided. */
  readonly opposite: string;
  /** Set if the operator reads only names of tools. */
  readonly ofToolNames?: true;
  test(fact: KnownValue, value: unknown, context: OperatorContext): Verdict;
}

/** A condition over one element of a list, as plain JSON. `list` as a value names one of the policy's lists. */
export type Predicate =
  | { readonly all: readonly Predicate[] }
  | { readonly any: readonly Predicate[] }
  | { readonly not: Predicate }
  | { readonly field: string; readonly op: string; readonly value: unknown };

export interface FlowStep {
  readonly kind: 'tool_call' | 'tool_result';
  readonly where: Predicate;
}

/**
 * Matching takes time proportional to the text's length times the expression's steps: 20,000 characters by 1,000 steps take under a
 * second.
 */
const MAX_MATCHED_CHARS = 20_000;
const TEXT: readonly FactType[] = ['string', 'any'];
const NUMBERS: readonly FactType[] = ['number', 'integer', 'any'];
const SCALARS: readonly FactType[] = ['string', 'number', 'integer', 'boolean', 'any'];
const LISTS: readonly FactType[] = ['tool_calls', 'tool_results'];
const EVERY: readonly FactType[] = [...SCALARS, 'string_set', ...LISTS];

/** Creates the test of an operator on scalars: false for an absent value, undecided for a value of another type. */
function onScalar(test: (fact: string | number | boolean, value: unknown, context: OperatorContext) => Verdict) {
  return (fact: KnownValue, value: unknown, context: OperatorContext): Verdict => {
    if (fact === null) return false;
    return typeof fact === 'object' ? null : test(fact, value, context);
  };
}

function onText(test: (fact: string, value: unknown, context: OperatorContext) => Verdict) {
  return onScalar((fact, value, context) => (typeof fact === 'string' ? test(fact, value, context) : null));
}

function onNumber(compare: (fact: number, value: number) => boolean) {
  return onScalar((fact, value) => {
    const left = numberOf(fact);
    const right = numberOf(value);
    return left === undefined || right === undefined ? null : compare(left, right);
  });
}

function onTime(compare: (fact: number, value: number) => boolean) {
  return onText((fact, value) => {
    const left = timeOf(fact);
    const right = timeOf(value as string);
    return left === undefined || right === undefined ? null : compare(left, right);
  });
}

/**
 * Creates the test of an operator on sets of scalars: a list is the set of its entries, a scalar a set of one. If the wanted values are not
 * found, an entry that is not a scalar makes the result undecided. Most calls have few entries and some policy lists are long, so the
 * entries are looked up in the list.
 */
function onSet(holds: (entries: readonly unknown[], wanted: readonly unknown[]) => boolean) {
  return (fact: KnownValue, value: unknown): Verdict => {
    if (fact === null) return false;
    if (typeof fact === 'object' && !isList(fact)) return null;
    const entries = isList(fact) ? fact : [fact];
    const wanted = value as readonly unknown[];
    if (holds(entries, wanted)) return true;
    return wanted.length > 0 && entries.some((entry) => typeof entry === 'object') ? null : false;
  };
}

/**
 * Creates the test of an operator on hosts and domains: true if all of them are in the list, false if none is. A mixture or an unreadable
 * text is undecided, so that adding another address bypasses neither an allow list nor a deny list.
 */
function onPlaces(read: (text: string) => readonly string[] | undefined) {
  return (fact: KnownValue, value: unknown): Verdict => {
    if (fact === null) return false;
    const texts = isList(fact) ? fact : [fact];
    const places: string[] = [];
    for (const text of texts) {
      const found = typeof text === 'string' ? read(text) : undefined;
      if (found === undefined) return null;
      append(places, found);
    }
    const inside = places.filter((place) => nameMatches(place, value as readonly unknown[])).length;
    if (inside === places.length) return true;
    return inside === 0 ? false : null;
  };
}

function isList(value: KnownValue): value is readonly FactValue[] {
  return Array.isArray(value);
}

/** The operators that a policy can write, without the opposites. */
export const OPERATORS: Readonly<Record<string, OperatorDefinition>> = {
  eq: op(
    SCALARS,
    'scalar',
    'equals',
    'ne',
    onScalar((fact, value) => fact === value),
  ),
  in: op(
    SCALARS,
    'scalars',
    'is one of',
    'not_in',
    onScalar((fact, value) => (value as unknown[]).includes(fact)),
  ),
  any_of: op(
    ['string_set', 'any'],
    'scalars',
    'contains at least one of',
    'none_of',
    onSet((entries, wanted) => entries.some((entry) => wanted.includes(entry))),
  ),
  all_of: op(
    ['string_set', 'any'],
    'scalars',
    'contains all of',
    'not_all_of',
    onSet((entries, wanted) => wanted.every((value) => entries.includes(value))),
  ),
  gt: op(
    NUMBERS,
    'number',
    'is greater than',
    'not_gt',
    onNumber((fact, value) => fact > value),
  ),
  gte: op(
    NUMBERS,
    'number',
    'is at least',
    'not_gte',
    onNumber((fact, value) => fact >= value),
  ),
  lt: op(
    NUMBERS,
    'number',
    'is less than',
    'not_lt',
    onNumber((fact, value) => fact < value),
  ),
  lte: op(
    NUMBERS,
    'number',
    'is at most',
    'not_lte',
    onNumber((fact, value) => fact <= value),
  ),
  contains: op(['string', 'string_set', 'any'], 'scalar', 'contains the text, or the entry', 'not_contains', contains),
  starts_with: op(
    TEXT,
    'text',
    'starts with',
    'not_starts_with',
    onText((fact, value) => fact.startsWith(value as string)),
  ),
  ends_with: op(
    TEXT,
    'text',
    'ends with',
    'not_ends_with',
    onText((fact, value) => fact.endsWith(value as string)),
  ),
  matches: op(
    TEXT,
    'pattern',
    'has a part that matches the RE2 expression',
    'not_matches',
    onText((fact, value, context) =>
      fact.length > MAX_MATCHED_CHARS ? null : context.pattern(value as string).test(fact),
    ),
  ),
  eq_ci: op(
    TEXT,
    'text',
    'equals without regard to case (NFKC)',
    'ne_ci',
    onText((fact, value) => foldCase(fact) === foldCase(value as string)),
  ),
  before: op(
    TEXT,
    'time',
    'is an instant before',
    'not_before',
    onTime((fact, value) => fact < value),
  ),
  after: op(
    TEXT,
    'time',
    'is an instant after',
    'not_after',
    onTime((fact, value) => fact > value),
  ),
  semver_gte: op(
    TEXT,
    'version',
    'is a semantic version of at least',
    'not_semver_gte',
    onText((fact, value) => (fact.length > 256 || valid(fact) === null ? null : gte(fact, value as string))),
  ),
  exists: op(EVERY, 'boolean', 'is there', 'not_exists', (fact) => fact !== null),
  email_domain_in: op(
    TEXT,
    'names',
    'has only e-mail addresses at the domains',
    'not_email_domain_in',
    onPlaces(emailDomains),
  ),
  url_host_in: op(
    TEXT,
    'names',
    'is a URL on one of the hosts',
    'not_url_host_in',
    onPlaces((text) => {
      const host = urlHost(text);
      return host === undefined ? undefined : [host];
    }),
  ),
  some: op(LISTS, 'predicate', 'has an entry for which', 'none', (fact, value, context) => {
    if (fact === null) return false;
    return isList(fact) ? anyOf(fact, (entry) => testPredicate(value as Predicate, entry, context)) : null;
  }),
  tool_is: ofToolNames(
    'text',
    'is the tool (also by its last part, such as `run_shell` in `mcp__x__run_shell`)',
    'tool_is_not',
    (value) => [value],
  ),
  tool_any_of: ofToolNames(
    'scalars',
    'is one of the tools (also by its last part)',
    'tool_none_of',
    (value) => value as readonly unknown[],
  ),
  flow: op(['flow'], 'flow', 'has these two steps, the first before the second', 'not_flow', flow),
};

function op(
  reads: readonly FactType[],
  value: ValueKind,
  summary: string,
  opposite: string,
  test: OperatorDefinition['test'],
): OperatorDefinition {
  return { reads, value, summary, opposite, test };
}

function ofToolNames(
  value: ValueKind,
  summary: string,
  opposite: string,
  wanted: (value: unknown) => readonly unknown[],
): OperatorDefinition {
  const test: OperatorDefinition['test'] = (fact, operand) => {
    if (fact === null) return false;
    const names = isList(fact) ? fact : [fact];
    const known = ToolNames.of(wanted(operand));
    return anyOf(names, (name) => (typeof name === 'string' ? known.hasLastPartOf(name) : null));
  };
  return { reads: ['string', 'string_set'], value, summary, opposite, ofToolNames: true, test };
}

/** Whether a policy can apply this operator to the fact. */
export function readsFact(
  { reads, ofToolNames: asksTools }: OperatorDefinition,
  { type, isToolName }: Pick<FactDefinition, 'type' | 'isToolName'>,
): boolean {
  return reads.includes(type) && (asksTools !== true || isToolName === true);
}

/** Opposites that a policy can also write; for the others it uses `not:`. */
const WRITABLE_OPPOSITES = ['ne', 'not_in', 'none_of', 'none', 'tool_none_of'] as const;

/** Every operator name that a policy can write, sorted. */
export const OPERATOR_NAMES: readonly string[] = [...Object.keys(OPERATORS), ...WRITABLE_OPPOSITES].sort();

/** The meaning of a compiled operator name. */
interface NamedOperator {
  readonly definition: OperatorDefinition;
  readonly positive: string;
  readonly negated: boolean;
}

const NAMED: ReadonlyMap<string, NamedOperator> = new Map(
  Object.entries(OPERATORS).flatMap(([positive, definition]): [string, NamedOperator][] => [
    [definition.opposite, { definition, positive, negated: true }],
    [positive, { definition, positive, negated: false }],
  ]),
);

/** The operator of a compiled name, opposites included, or undefined. */
export function operatorNamed(name: string): NamedOperator | undefined {
  return NAMED.get(name);
}

/** The compiled name of an operator's exact opposite. */
export function oppositeOf(name: string): string {
  const { definition, positive, negated } = NAMED.get(name)!;
  return negated ? positive : definition.opposite;
}

/**
 * Applies an operator by its compiled name to a known fact.
 * @param isToolName both sides are names of tools, and are compared in their normal form
 */
export function applyOperator(
  name: string,
  fact: KnownValue,
  value: unknown,
  context: OperatorContext,
  isToolName = false,
): Verdict {
  const operator = operatorNamed(name);
  if (operator === undefined) return null;
  const { definition } = operator;
  const verdict = isToolName ? testName(definition, fact, value, context) : definition.test(fact, value, context);
  return operator.negated ? not(verdict) : verdict;
}

/** Expressions match the original name and ignore case: authors write them for names as they see them. */
function testName(
  { test, value: kind }: OperatorDefinition,
  fact: KnownValue,
  value: unknown,
  context: OperatorContext,
): Verdict {
  const name = isList(fact) ? fact.map(nameForm) : nameForm(fact);
  if (kind === 'pattern') return test(name, `(?i:${value as string})`, context);
  return test(name, Array.isArray(value) ? ToolNames.of(value).list : nameForm(value), context);
}

function nameForm<T>(value: T): T | string {
  return typeof value === 'string' ? toolNameForm(value) : value;
}

function contains(fact: KnownValue, value: unknown): Verdict {
  if (fact === null) return false;
  if (typeof fact === 'string') return typeof value === 'string' ? fact.includes(value) : null;
  if (!isList(fact)) return null;
  return fact.includes(value as FactValue) || (fact.some((entry) => typeof entry === 'object') ? null : false);
}

/**
 * Tests one element. A missing argument is absent, since the call was made without it. A missing name or missing `args` (the arguments
 * were not JSON) makes the result undecided.
 */
export function testPredicate(predicate: Predicate, element: FactValue, context: OperatorContext): Verdict {
  if ('all' in predicate) return allOf(predicate.all, (part) => testPredicate(part, element, context));
  if ('any' in predicate) return anyOf(predicate.any, (part) => testPredicate(part, element, context));
  if ('not' in predicate) return not(testPredicate(predicate.not, element, context));
  const { root, path } = splitFactName(predicate.field);
  const base = readPath(element, [root]);
  const fact = base === undefined || base === null || path.length === 0 ? base : (readPath(base, path) ?? null);
  if (fact === undefined || fact instanceof Unknown || (fact === null && path.length === 0)) return null;
  return applyOperator(
    predicate.op,
    fact,
    valueOfPredicate(predicate.value, context),
    context,
    predicate.field === 'name',
  );
}

function valueOfPredicate(value: unknown, context: OperatorContext): unknown {
  const isReference = typeof value === 'object' && value !== null && 'list' in value && typeof value.list === 'string';
  return isReference ? context.list((value as { list: string }).list) : value;
}

/**
 * The fact `flow` contains `events` (the earlier events, in order), `current` (the call that is judged) and, if there may be further
 * events that are not known, `rest`: an `Unknown` with the reason.
 */
function flow(fact: KnownValue, value: unknown, context: OperatorContext): Verdict {
  if (fact === null) return false;
  const { from, to } = value as { from: FlowStep; to: FlowStep };
  const current = readPath(fact, ['current']);
  const events = readPath(fact, ['events']);
  if (current === undefined || events === undefined || events instanceof Unknown || !isList(events)) return null;
  const isTarget = testPredicate(to.where, current, context);
  const cameFrom = anyOf(events, (event) =>
    readPath(event, ['kind']) === from.kind ? testPredicate(from.where, event, context) : false,
  );
  const mayHave = cameFrom === false && unknownPart(fact) !== undefined ? null : cameFrom;
  return allOf([isTarget, mayHave], (verdict) => verdict);
}

/** The reason why a part of a fact is unknown while the rest is known: for example, a data flow whose earlier steps were not seen. */
export function unknownPart(fact: FactValue | undefined): Unknown | undefined {
  if (typeof fact !== 'object' || fact === null || fact instanceof Unknown) return undefined;
  const rest = readPath(fact, ['rest']);
  return rest instanceof Unknown ? rest : undefined;
}
