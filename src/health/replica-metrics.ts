import type { ReadReplica } from '../database/index.js';
import type { Metrics } from '../metrics/index.js';

const MS_PER_S = 1_000;

/** Metrics of the read replica for operators. Without a replica, the metrics exist without values. */
export function addReplicaMetrics(replica: ReadReplica | undefined, metrics: Metrics): void {
  const gauge = (
    name: `weir_${string}`,
    help: string,
    read: (replica: ReadReplica) => number,
    combined: 'min' | 'max',
  ): void => {
    const values = () => (replica === undefined ? [] : [{ labels: {}, value: read(replica) }]);
    metrics.labelledGauge(name, help, [], values, combined);
  };
  const isUp = ({ state }: ReadReplica): number => (state === 'ok' ? 1 : 0);
  gauge('weir_read_replica_up', 'Whether reads go to the read replica.', isUp, 'min');
  gauge(
    'weir_read_replica_lag_seconds',
    'Upper bound of the lag of the read replica behind the primary.',
    ({ lagMs }) => lagMs / MS_PER_S,
    'max',
  );
  const read = metrics.count('weir_reads_total', 'Reads that may use the read replica, by the server that answered.', [
    'server',
  ]);
  if (replica !== undefined) replica.asked = (server) => read({ server });
}
