import type { Configuration } from '@mikro-orm/core';
import { statementsOf } from '../../src/database/migration-plan.js';
import { MIGRATIONS } from '../../src/database/migrations/index.js';
import { effectOf } from '../../src/database/statement-effect.js';

/** A stub, because statements are only collected and no database is used. */
const NOWHERE = { em: { getDriver: () => ({}) }, config: {} as Configuration };

describe('Migrations', () => {
  it('only add to the schema, so that servers of the previous version work during and after a migration', () => {
    const breaking = MIGRATIONS.slice(1).flatMap(({ name }) =>
      statementsOf({ orm: NOWHERE as never }, name)
        .map(effectOf)
        .filter(({ breaks }) => breaks !== undefined)
        .map(({ does, breaks }) => `${name}: ${does}: ${breaks}`),
    );
    expect(breaking).toEqual([]);
  });
});
