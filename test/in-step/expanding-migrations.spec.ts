import type { Configuration } from '@mikro-orm/core';
import { statementsOf } from '../../src/database/migration-plan.js';
import { MIGRATIONS } from '../../src/database/migrations/index.js';
import { effectOf } from '../../src/database/statement-effect.js';

/** Tables that grow with each call: a statement that reads one of them whole, while calls cannot write it, stops the service for minutes. */
const LARGE = ['events', 'event_ids', 'event_marks', 'session_histories', 'budget_entries', 'budget_reservations'];
const STOPS_WRITES = ['ACCESS EXCLUSIVE', 'SHARE ROW EXCLUSIVE', 'SHARE'];

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

  it('read or write no table of calls whole while calls cannot write it', () => {
    const stopping = MIGRATIONS.slice(1).flatMap(({ name }) =>
      statementsOf({ orm: NOWHERE as never }, name)
        .map(effectOf)
        .filter(({ table = '', lock = '', work }) => {
          return LARGE.includes(table) && STOPS_WRITES.includes(lock) && work !== 'nothing';
        })
        .map(({ does, table, lock, work }) => `${name}: ${does} of ${table}: ${work} under ${lock}`),
    );
    expect(stopping).toEqual([]);
  });
});
