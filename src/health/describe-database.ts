import type { Database } from '../database/index.js';
import type { Metrics } from '../metrics/index.js';

const MS_PER_S = 1_000;

/**
 * Metrics of the database for Prometheus: whether it answers, how many requests wait for a connection, and how long statements take.
 */
export function describeDatabase(metrics: Metrics, database: Database): void {
  const { figures } = database;
  metrics.gauge(
    'weir_database_up',
    'Whether the database answers; 0 after the first statement that got no answer or could not reach a server.',
    () => (database.isAnswering ? 1 : 0),
    'min',
  );
  metrics.labelledGauge('weir_database_connections', 'Connections to the database.', ['state'], () => {
    const { open, idle } = figures.connections();
    return [
      { labels: { state: 'used' }, value: open - idle },
      { labels: { state: 'idle' }, value: idle },
    ];
  });
  metrics.gauge('weir_database_connections_limit', 'Maximum number of open connections.', () => {
    return figures.connections().limit;
  });
  metrics.gauge('weir_database_waiting', 'Callers that wait for a connection.', () => figures.connections().waiting);
  const waited = metrics.times('weir_database_wait_seconds', 'Waiting time for a free connection.', []);
  const ran = metrics.times(
    'weir_database_statement_seconds',
    'Duration of a statement; for the embedded database, including the wait for its only session.',
    ['outcome'],
  );
  figures.setObserver({
    waited: (ms) => waited({}, ms / MS_PER_S),
    ran: (ms, outcome) => ran({ outcome }, ms / MS_PER_S),
  });
}
