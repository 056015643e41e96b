import { ruleWords } from './rule-words.ts';

describe('The line about a rule', () => {
  it('contains the day of the review as the policy has it, in every time zone', () => {
    expect(ruleWords({ owner: null, review_by: '2026-12-01', tests: null })).toEqual([
      'No owner',
      'review due 2026-12-01',
    ]);
  });

  it('contains the owner, with invisible characters made visible, and the tests in which the rule fires', () => {
    const owner = 'security\u200b@example.com';
    expect(ruleWords({ owner, review_by: null, tests: 1 })).toEqual([
      'Owner security⟨U+200B⟩@example.com',
      'fires in 1 test',
    ]);
    expect(ruleWords({ owner, review_by: null, tests: 3 }).at(-1)).toBe('fires in 3 tests');
  });
});
