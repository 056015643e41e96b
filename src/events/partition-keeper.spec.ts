import type { SqlRunner } from '../database/index.js';
import { PartitionKeeper } from './partition-keeper.js';
import { WEEK_MS, weekOf } from './partitions.js';

const NOW = new Date('2026-01-07T00:00:00Z');

describe('The keeper of partitions', () => {
  it('does not delay the start of the service by deleting ended sessions', async () => {
    const [begun, deleted] = [Promise.withResolvers<void>(), Promise.withResolvers<object[]>()];
    const reports: string[] = [];
    const partitions = [0, 1, 2, 3, 4].map((week) => ({ name: weekOf(NOW.getTime() + week * WEEK_MS).table }));
    const query = (statement: string): Promise<object[]> => {
      if (statement.includes('pg_inherits')) return Promise.resolve(partitions);
      if (!statement.includes('session_histories')) return Promise.resolve([]);
      begun.resolve();
      return deleted.promise;
    };
    const sql = { query, forMaintenance: () => ({ query }) } as unknown as SqlRunner;
    const keeper = new PartitionKeeper(
      sql,
      (message) => reports.push(message),
      () => NOW,
    );
    await keeper.start();
    await begun.promise;
    deleted.resolve([]);
    await keeper.stop();
    expect(reports).toEqual([]);
  });
});
