/** The facts about a budget's usage belong to a plugin: no other code names or computes them. */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { budget } from '../../plugins/budget/budget.js';

/** The routes of budgets have fields with the same names. */
const ROUTES = 'src/core/budget/budget-api.ts';

/** Unambiguous names of facts, and names derived from a budget's id; `budgets.<id>` alone is a location in a policy. */
const TELLS = /used_ratio|budgets\.\$\{[^}]*\}\./;

describe('Facts about budgets', () => {
  it('are named only in their plugin, and not in core or authoring', async () => {
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
