import { EXAMPLES, effectOf } from './effects.js';

describe('The effect of a tool', () => {
  it('follows from its name', () => {
    for (const [effect, name] of Object.entries(EXAMPLES)) expect([name, effectOf(name)]).toEqual([name, effect]);
  });

  it.each([
    ['download_and_run', 'execute'],
    ['fetchAndExecute', 'execute'],
    ['find_and_remove_files', 'delete'],
    ['search-and-replace', 'write'],
    ['read_then_forward_mail', 'message'],
  ])('is that of the second verb after a verb that only reads: %s', (name, effect) => {
    expect(effectOf(name)).toBe(effect);
  });

  it.each([
    'search_and_rescue_teams',
    'get_terms_and_conditions',
    'list_drag_and_drop_items',
    'find_and_read',
    'check',
  ])('is reading without a second verb directly behind the first: %s', (name) => {
    expect(effectOf(name)).toBe('read');
  });
});
