import type { Configuration } from '@mikro-orm/core';
import { statementsOf } from '../../src/database/migration-plan.js';
import { MIGRATIONS } from '../../src/database/migrations/index.js';
import { effectOf } from '../../src/database/statement-effect.js';

/** Statements are only collected: nothing of the database is asked for. */
const NOWHERE = { em: { getDriver: () => ({}) }, config: {} as Configuration };

describe('Migrations', () => {
  it('only add, so that servers of the version before go on while they run and after', () => {
    const breaking = MIGRATIONS.slice(1).flatMap(({ name }) =>
      statementsOf({ orm: NOWHERE as never }, name)
        .map(effectOf)
        .filter(({ breaks }) => breaks !== undefined)
        .map(({ does, breaks }) => `${name}: ${does}: ${breaks}`),
    );
    expect(breaking).toEqual([]);
  });
});
