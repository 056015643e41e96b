/** The legal holds that exclude events from an erasure. */
import { ENVIRONMENTS, type Environment } from '../core/index.js';
import type { RetentionInForce } from '../deployments/index.js';
import type { HoldsByEnvironment } from '../events/index.js';

/** This server does not run the account's latest deployment: the legal holds are unknown, and nothing is emptied. */
export class HoldsUnknown extends Error {
  override readonly name = 'HoldsUnknown';
}

/**
 * The legal holds of an account that are in force now.
 *
 * @param only the only environment to read; absent: all
 * @throws HoldsUnknown | DatabaseError | DatabaseUnavailable
 */
export async function holdsInForce(
  inForce: Pick<RetentionInForce, 'read'>,
  { accountId, only, nowMs }: { readonly accountId: string; readonly only?: Environment; readonly nowMs: number },
): Promise<HoldsByEnvironment> {
  const retentionOf = await inForce.read();
  const environments = only === undefined ? ENVIRONMENTS : [only];
  return new Map(
    environments.map((environment) => {
      const kept = retentionOf(accountId, environment);
      if (kept === 'unknown') throw new HoldsUnknown();
      return [environment, (kept?.holds ?? []).filter(({ untilMs }) => untilMs > nowMs)] as const;
    }),
  );
}
