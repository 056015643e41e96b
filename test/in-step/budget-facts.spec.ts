/** What a budget has used is told by a plugin: nothing else knows the names of its facts or works them out. */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { budget } from '../../plugins/budget/budget.js';

/** The routes of budgets have fields of these names. */
const ROUTES = 'src/core/budget/budget-api.ts';

/** Names of facts that mean nothing else, and names that are made of what one budget tells: `budgets.<id>` alone is its place in a policy. */
const TELLS = /used_ratio|budgets\.\$\{[^}]*\}\./;

describe('Facts about budgets', () => {
  it('are named in their plugin alone, not in core nor in authoring', async () => {
    const names = budget.facts({ id: 'b', unit: 'usd', limit: 1n }).map(({ name }) => name);
    expect(names.some((name) => TELLS.test(name))).toBe(true);
    const telling: string[] = [];
    for await (const file of glob('src/{core,authoring}/**/*.ts')) {
      const isTest = file.endsWith('.spec.ts') || file.includes('/testdata/');
      if (!isTest && TELLS.test(readFileSync(file, 'utf8'))) telling.push(file);
    }
    expect(telling).toEqual([ROUTES]);
  });
});
