import { EMPTIED, LEFT } from '../../src/erasure/places.js';
import { tablesInOrder } from '../../src/database/table-sums.js';
import { eachDatabase } from '../support/each-database.js';

eachDatabase('Tables that may contain data about a person', (current) => {
  it('are each emptied by an erasure, or listed as free of data from recorded calls', async () => {
    const tables = await tablesInOrder(current().database.sql);
    expect([...EMPTIED, ...Object.keys(LEFT)].sort()).toEqual([...tables, 'migrations'].sort());
  });
});
