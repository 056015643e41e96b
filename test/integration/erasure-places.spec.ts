import { EMPTIED, LEFT } from '../../src/erasure/places.js';
import { tablesInOrder } from '../../src/database/table-sums.js';
import { eachDatabase } from '../support/each-database.js';

eachDatabase('Tables in which a person may stand', (current) => {
  it('are each emptied by an erasure, or hold nothing of somebody whose calls are recorded', async () => {
    const tables = await tablesInOrder(current().database.sql);
    expect([...EMPTIED, ...Object.keys(LEFT)].sort()).toEqual([...tables, 'migrations'].sort());
  });
});
