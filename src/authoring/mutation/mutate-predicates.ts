import type { FactDefinition } from '../../core/model/fact.js';
import { operatorNamed, oppositeOf, type FlowStep, type Predicate } from '../../core/policy/operators.js';
import { renderPredicate } from '../render/index.js';
import { otherOperands, STRICTNESS } from './other-operands.js';

/** The description of a mistake, and the part with the mistake. */
type Mistake<Part> = readonly [text: string, wrong: Part];

const INDEX: Pick<FactDefinition, 'type' | 'range'> = { type: 'integer', range: { min: 0 } };

/**
 * Mistakes inside the operand of `some`, `none` or `flow`, in every comparison and group; none for other operators.
 *
 * @param op the compiled name of the operator, without its reading
 */
export function mistakesInside(op: string, operand: unknown): Mistake<unknown>[] {
  const kind = operatorNamed(op)?.definition.value;
  if (kind === 'predicate') return distinct(mistakesIn(operand as Predicate));
  if (kind !== 'flow') return [];
  const flow = operand as Readonly<Record<'from' | 'to', FlowStep>>;
  return (['from', 'to'] as const).flatMap((end) =>
    distinct(mistakesIn(flow[end].where)).map(([text, where]): Mistake<unknown> => [
      `${end}: ${text}`,
      { ...flow, [end]: { ...flow[end], where } },
    ]),
  );
}

/** Numbers equal descriptions, which identify mutants: a comparison can occur in several groups. */
function distinct(mistakes: readonly Mistake<Predicate>[]): Mistake<Predicate>[] {
  const counts = new Map<string, number>();
  return mistakes.map(([text, wrong]) => {
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return [count === 1 ? text : `${text} (${count})`, wrong];
  });
}

function mistakesIn(predicate: Predicate): Mistake<Predicate>[] {
  if ('all' in predicate) return mistakesInGroup('all', predicate.all);
  if ('any' in predicate) return mistakesInGroup('any', predicate.any);
  if ('not' in predicate) return mistakesIn(predicate.not).map(([text, wrong]) => [text, { not: wrong }]);
  const { field, op, value } = predicate;
  const strict = STRICTNESS[op];
  return [
    [`negate ${renderPredicate(predicate)}`, { ...predicate, op: oppositeOf(op) }],
    ...(strict === undefined
      ? []
      : [[`${op} becomes ${strict} in ${renderPredicate(predicate)}`, { ...predicate, op: strict }] as const]),
    ...otherOperands(value, field === 'index' ? INDEX : undefined).map(
      ([change, other]) => [`${change} in ${renderPredicate(predicate)}`, { ...predicate, value: other }] as const,
    ),
  ];
}

function mistakesInGroup(kind: 'all' | 'any', parts: readonly Predicate[]): Mistake<Predicate>[] {
  const group = (items: readonly Predicate[]): Predicate => (kind === 'all' ? { all: items } : { any: items });
  const inner = parts.flatMap((part, index) =>
    mistakesIn(part).map(([text, wrong]) => [text, group(parts.with(index, wrong))] as const),
  );
  if (parts.length < 2) return inner;
  const dropped = parts.map(
    (part, index) => [`drop ${renderPredicate(part)}`, group(parts.toSpliced(index, 1))] as const,
  );
  const swapped: Mistake<Predicate> =
    kind === 'all' ? ['all becomes any', { any: parts }] : ['any becomes all', { all: parts }];
  return [swapped, ...dropped, ...inner];
}
