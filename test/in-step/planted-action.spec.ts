/** The guarantee of the table of actions: a new action is handled everywhere, or the code does not compile. */
import { globSync, readFileSync } from 'node:fs';
import { PATIENCE_MS, planted, plantedSources } from '../support/planted-sources.js';

const ACTIONS = 'src/core/model/actions.ts';
const SCHEMA = 'sdk/node/src/api/schema.ts';
const WITH_ACTION = {
  [ACTIONS]: planted(ACTIONS, [
    'export const RULE_ACTIONS = {',
    "\n  planted: { strength: 4, enforces: true, weaker: 'flag', json: { violation: true, decision: true } },",
  ]),
};

describe('A new action in the table', () => {
  it(
    'does not compile until every place that depends on actions handles it',
    () => {
      const found = plantedSources(/action|decision|verdict/i)(WITH_ACTION);
      expect([...new Set(found.map(({ file }) => file))].sort()).toEqual([
        'cli/output/verdict.ts',
        'src/authoring/backtest/backtest.ts',
        'src/authoring/render/describe-rule.ts',
        'src/core/decision/decide.ts',
        'src/core/model/actions.ts',
        'src/events/outcome.ts',
        'src/inquiries/analyst.ts',
      ]);
    },
    PATIENCE_MS,
  );

  it(
    'does not compile if the table omits one of its traits',
    () => {
      const text = planted(ACTIONS, [
        'export const RULE_ACTIONS = {',
        '\n  planted: { strength: 4, enforces: true, json: { violation: true, decision: true } },',
      ]);
      const found = plantedSources(/^$/)({ [ACTIONS]: text });
      expect(found.some(({ file, message }) => file === ACTIONS && message.includes("'weaker'"))).toBe(true);
    },
    PATIENCE_MS,
  );

  it(
    'does not compile in the dashboard, whose types are generated from the schema of the table',
    () => {
      const text = planted(SCHEMA).replaceAll('"flag" | "redact" | "block"', '"flag" | "redact" | "block" | "planted"');
      const changed = text.replaceAll('"allow" | "redact" | "block"', '"allow" | "redact" | "block" | "planted"');
      const found = plantedSources(/action|decision/i, 'dashboard/tsconfig.json')({ [SCHEMA]: changed });
      expect([...new Set(found.map(({ file }) => file))].sort()).toEqual([
        'dashboard/src/events/filters.ts',
        'dashboard/src/events/masks.ts',
        'dashboard/src/events/verdict.tsx',
        'dashboard/src/parts/outcome.tsx',
        'dashboard/src/policies/playground-result.tsx',
      ]);
    },
    PATIENCE_MS,
  );

  it('is ignored by exactly those files that the guide of first changes lists, because they compare with one action', () => {
    const sources = globSync(['src/**/*.ts', 'cli/**/*.ts', 'dashboard/src/**/*.{ts,tsx}', 'sdk/node/src/**/*.ts']);
    const ofOneAction = sources
      .map((file) => file.replaceAll('\\', '/'))
      .filter((file) => !/\.spec\.|testdata|\/import\//.test(file))
      .filter((file) => /\b(?:action|decision) [!=]== '(?:redact|block)'/.test(readFileSync(file, 'utf8')))
      .sort();
    const guide = readFileSync('docs/guides/first-changes.md', 'utf8');
    const named = guide.slice(guide.indexOf('The compiler cannot report')).match(/(?<=^\| `)[^`]+(?=` \|)/gm);
    expect(ofOneAction).toEqual(named);
  });
});
