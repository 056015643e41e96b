import type { Database } from '../database/index.js';
import { Metrics } from '../metrics/index.js';
import { describeDatabase } from './describe-database.js';

type Observer = Parameters<Database['figures']['setObserver']>[0];

describe('describeDatabase', () => {
  it('reports availability, connections, the wait for connections, and the duration of statements', async () => {
    const state = { isAnswering: true };
    const observers: Observer[] = [];
    const figures = {
      connections: () => ({ open: 7, idle: 2, waiting: 3, limit: 10 }),
      setObserver: (observer: Observer) => observers.push(observer),
    };
    const metrics = new Metrics();
    describeDatabase(metrics, Object.assign(state, { figures }) as unknown as Database);
    for (const observer of observers) {
      observer.waited(500);
      observer.ran(250, 'done');
      observer.ran(1_000, 'failed');
    }
    expect((await metrics.text()).split('\n')).toEqual(
      expect.arrayContaining([
        'weir_database_up 1',
        'weir_database_connections{state="used"} 5',
        'weir_database_connections{state="idle"} 2',
        'weir_database_connections_limit 10',
        'weir_database_waiting 3',
        'weir_database_wait_seconds_sum 0.5',
        'weir_database_statement_seconds_sum{outcome="done"} 0.25',
        'weir_database_statement_seconds_sum{outcome="failed"} 1',
      ]),
    );
    state.isAnswering = false;
    expect(await metrics.text()).toContain('\nweir_database_up 0\n');
  });
});
