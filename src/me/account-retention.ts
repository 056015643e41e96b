import type { z } from 'zod';
import type { Environment, Retention } from '../core/index.js';
import type { DatabaseClock, TenantSql } from '../database/index.js';
import { heldEvents } from '../events/index.js';
import { PolicyUnavailable, type PolicyStore } from '../policy-store/index.js';
import type { ME } from './me-schema.js';

type View = z.infer<typeof ME>['retention'];

/** The retention of an account's events, from the policies and from the counts of the retention keeper. */
export class AccountRetention {
  constructor(
    private readonly sql: TenantSql,
    private readonly store: PolicyStore,
    private readonly clock: DatabaseClock,
  ) {}

  /** @throws DatabaseError | DatabaseUnavailable */
  async of(accountId: string, environments: readonly Environment[]): Promise<View> {
    const held = await heldEvents(this.sql, accountId);
    const nowMs = this.clock.nowMs();
    return environments.map((environment) => {
      const { contentDays, recordsDays, holds } = this.policyOf(accountId, environment);
      return {
        environment,
        content_days: contentDays ?? null,
        records_days: recordsDays ?? null,
        holds: holds
          .filter(({ untilMs }) => untilMs > nowMs)
          .map(({ id, because, untilMs }) => ({ id, because, until: new Date(untilMs).toISOString() })),
        held_events: held.get(environment) ?? 0,
      };
    });
  }

  /** The retention that the policy defines. If no policy can be run, nothing is deleted. */
  private policyOf(accountId: string, environment: Environment): Retention {
    try {
      return this.store.active(accountId, environment).policy.retention ?? { holds: [] };
    } catch (error) {
      if (error instanceof PolicyUnavailable) return { holds: [] };
      throw error;
    }
  }
}
