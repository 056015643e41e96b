import type { Metrics } from '../metrics/index.js';
import type { PolicyStore } from '../policy-store/index.js';
import type { Activator } from './activator.js';

/** The active policies of this process by digest, and the environments whose newest deployment is not active. */
export function describeActivations(metrics: Metrics, store: PolicyStore, activator: Activator): void {
  metrics.labelledGauge(
    'weir_policy_active',
    'Active policies in this process. The value is 1 for a policy of the policies folder; for a deployed policy, the number of accounts that use it.',
    ['environment', 'source', 'digest'],
    () => [
      ...store.status().map(({ environment, digest }) => ({
        labels: { environment, source: 'folder', digest },
        value: 1,
      })),
      ...counted(store).map(({ environment, digest, accounts }) => ({
        labels: { environment, source: 'deployment', digest: digest ?? 'none' },
        value: accounts,
      })),
    ],
    'max',
  );
  metrics.gauge(
    'weir_policy_activation_failures',
    'Environments whose newest deployment cannot be activated in this process.',
    () => activator.activations.filter(({ problem }) => problem !== null).length,
    'max',
  );
}

/** Deployed policies by environment and digest, each with its number of accounts. */
function counted(store: PolicyStore) {
  const groups = new Map<string, { environment: string; digest?: string; accounts: number }>();
  for (const { environment, digest } of store.deployedStatus()) {
    const key = `${environment}/${digest}`;
    const before = groups.get(key)?.accounts ?? 0;
    groups.set(key, { environment, accounts: before + 1, ...(digest === undefined ? {} : { digest }) });
  }
  return [...groups.values()];
}
