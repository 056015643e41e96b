/** The facts about a rule that its page lists in one line. */
import { visible } from '../parts/visible.ts';
import type { Rule } from './use-rules.ts';

/** The owner, the day of the review and the number of tests. */
export function ruleWords({
  owner,
  review_by: review,
  tests,
}: Pick<Rule, 'owner' | 'review_by' | 'tests'>): readonly string[] {
  return [
    owner === null ? 'No owner' : `Owner ${visible(owner)}`,
    // As it is written: a day without a time would be the day before in a time zone west of UTC.
    ...(review === null ? [] : [`review due ${review}`]),
    ...(tests === null ? [] : [`fires in ${tests} ${tests === 1 ? 'test' : 'tests'}`]),
  ];
}

/** The filter for the calls of a rule, also under its former ids: the figures of the service include those. */
export const filterOfRule = (id: string, formerly: readonly string[]): string => [id, ...formerly].join(',');

/** The rule with an id, or the one that had it before it was renamed. */
export const ruleNamed = <T extends { readonly id: string; readonly formerly: readonly string[] }>(
  rules: readonly T[],
  id: string,
): T | undefined => rules.find((rule) => rule.id === id) ?? rules.find(({ formerly }) => formerly.includes(id));
