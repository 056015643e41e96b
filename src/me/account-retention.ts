import type { z } from 'zod';
import type { CompiledPolicy, Environment, Retention, TokenScope } from '../core/index.js';
import type { DatabaseClock, TenantSql } from '../database/index.js';
import { heldEvents } from '../events/index.js';
import { PolicyUnavailable, type PolicyStore } from '../policy-store/index.js';
import type { ME } from './me-schema.js';

type View = z.infer<typeof ME>['retention'];

/** What is stored of an account's calls and for how long, from the policies and from the counts of the retention keeper. */
export class AccountRetention {
  constructor(
    private readonly sql: TenantSql,
    private readonly store: PolicyStore,
    private readonly clock: DatabaseClock,
  ) {}

  /**
   * @param scopes of the caller: places in policy files are shown only with `policy:read`
   * @throws DatabaseError | DatabaseUnavailable
   */
  async of(accountId: string, environments: readonly Environment[], scopes: readonly TokenScope[]): Promise<View> {
    const held = await heldEvents(this.sql, accountId);
    const nowMs = this.clock.nowMs();
    return environments.map((environment) => {
      const policy = this.policyOf(accountId, environment);
      const { contentDays, recordsDays, holds }: Retention = policy?.retention ?? { holds: [] };
      return {
        environment,
        content: policy === undefined ? null : this.contentOf(policy, accountId, scopes.includes('policy:read')),
        content_days: contentDays ?? null,
        records_days: recordsDays ?? null,
        holds: holds
          .filter(({ untilMs }) => untilMs > nowMs)
          .map(({ id, because, untilMs }) => ({ id, because, until: new Date(untilMs).toISOString() })),
        held_events: held.get(environment) ?? 0,
      };
    });
  }

  private contentOf(policy: CompiledPolicy, accountId: string, isPlaceShown: boolean): View[number]['content'] {
    const { content: stored, environment, sources } = policy;
    const place = isPlaceShown ? sources.settings['content'] : undefined;
    if (place === undefined) return { stored, path: null, line: null };
    const isDeployed = this.store.deployment(accountId, environment) !== undefined;
    // As in a bundle, where the paths of the policies folder are relative to it.
    return { stored, path: isDeployed ? place.file : place.file.replace(/^[^/]+\//, ''), line: place.line };
  }

  /** Undefined if no policy can be run: nothing is stored, and nothing is deleted. */
  private policyOf(accountId: string, environment: Environment): CompiledPolicy | undefined {
    try {
      return this.store.active(accountId, environment).policy;
    } catch (error) {
      if (error instanceof PolicyUnavailable) return undefined;
      throw error;
    }
  }
}
