import { filterOfRule, ruleNamed, ruleWords } from './rule-words.ts';

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

describe('A renamed rule', () => {
  const renamed = { id: 'pii.mail', formerly: ['pii.email', 'words.mail'] };

  it('is found by its former ids, unless another rule has the id now', () => {
    expect(ruleNamed([renamed], 'words.mail')).toBe(renamed);
    const other = { id: 'words.mail', formerly: [] };
    expect(ruleNamed([renamed, other], 'words.mail')).toBe(other);
    expect(ruleNamed([renamed], 'pii.card')).toBeUndefined();
  });

  it('selects the calls under all of its ids, because its figures count them', () => {
    expect(filterOfRule(renamed.id, renamed.formerly)).toBe('pii.mail,pii.email,words.mail');
    expect(filterOfRule('pii.card', [])).toBe('pii.card');
  });
});
