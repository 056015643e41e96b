import { LISTS_FACT } from './engine-rules.js';

/** The lists of a policy, by name. */
export interface Lists {
  list(name: string): readonly unknown[];
}

/** The list to which an operand refers, in a condition or in a comparison inside `some`, `none` or `flow`; undefined for other operands. */
export function listNamed(operand: unknown): string | undefined {
  if (typeof operand !== 'object' || operand === null) return undefined;
  if ('fact' in operand) return operand.fact === LISTS_FACT && 'path' in operand ? String(operand.path) : undefined;
  return 'list' in operand && typeof operand.list === 'string' ? operand.list : undefined;
}

/** The names of all lists in an operand, including those inside the predicates of `some`, `none` and `flow`. */
export function listsIn(operand: unknown): string[] {
  const named = listNamed(operand);
  if (named !== undefined) return [named];
  return typeof operand === 'object' && operand !== null ? Object.values(operand).flatMap(listsIn) : [];
}

/** The operand with the entries of lists in place of their names. An operand that names no list is returned as the same object. */
export function withEntries(operand: unknown, lists: Lists): unknown {
  const named = listNamed(operand);
  if (named !== undefined) return lists.list(named);
  if (typeof operand !== 'object' || operand === null) return operand;
  if (Array.isArray(operand)) {
    const items = operand.map((item: unknown) => withEntries(item, lists));
    return items.every((item, index) => item === operand[index]) ? operand : items;
  }
  const members = Object.entries(operand).map(([key, value]) => [key, value, withEntries(value, lists)] as const);
  if (members.every(([, before, after]) => before === after)) return operand;
  return Object.fromEntries(members.map(([key, , value]) => [key, value]));
}
