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
