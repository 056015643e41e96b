import type { ActingManager } from '../access/index.js';
import type { BudgetCourse, BudgetReader } from '../budgets/index.js';
import { ENVIRONMENTS, type Environment } from '../core/index.js';
import type { TenantSql } from '../database/index.js';
import type { ReplicaReports } from '../deployments/index.js';
import type { PolicyStore } from '../policy-store/index.js';
import { budgetItems } from './budget-items.js';
import { failingDetectors, ruleSpikes } from './call-items.js';
import { itemId, ordered, type Item } from './item.js';
import { keyItems } from './key-items.js';
import { markItems } from './mark-items.js';
import { deploymentItems, inForce, policyItems, rulesInForce } from './policy-items.js';
import type { Snoozes } from './snoozes.js';

const DAY_MS = 86_400_000;
const TRIAL_WARN_MS = 3 * DAY_MS;
const TRIAL_WARN_SHARE = 0.8;

/** The state of a trial; see `Subscription` of the API. */
export interface TrialView {
  readonly ends_at: string;
  readonly events_used: number;
  readonly events_included: number;
  readonly over: boolean;
}

export interface AttentionParts {
  readonly sql: TenantSql;
  /** For reads that may be slightly stale: sums of calls. */
  readonly readSql: TenantSql;
  readonly policies: PolicyStore;
  readonly reports: ReplicaReports;
  readonly budgets: BudgetReader;
  readonly course: BudgetCourse;
  readonly snoozes: Snoozes;
  readonly trialOf: (accountId: string) => Promise<TrialView | null>;
  readonly nowMs: () => number;
}

/** Collects the entries that need attention, as far as the caller may see them. */
export class Attention {
  constructor(private readonly parts: AttentionParts) {}

  /** @throws DatabaseError | DatabaseUnavailable */
  async list(manager: ActingManager, asked: Environment | undefined): Promise<Item[]> {
    const nowMs = this.parts.nowMs();
    const environment = manager.environment ?? asked;
    const environments = environment === undefined ? ENVIRONMENTS : [environment];
    const [snoozed, ...found] = await Promise.all([
      this.parts.snoozes.current(manager),
      this.ofAccount(manager, environment, nowMs),
      ...environments.map((each) => this.ofEnvironment(manager, each, nowMs)),
    ]);
    return ordered(found.flat().filter(({ id }) => !snoozed.has(id)));
  }

  private async ofEnvironment(manager: ActingManager, environment: Environment, nowMs: number): Promise<Item[]> {
    const { sql, readSql, policies, reports, budgets, course } = this.parts;
    const { accountId, scopes } = manager;
    const rules = rulesInForce(policies, accountId, environment).map(({ id }) => id);
    const seesPolicies = scopes.includes('policy:read');
    const found = await Promise.all([
      ruleSpikes(readSql, accountId, environment, rules),
      failingDetectors(readSql, accountId, environment, nowMs),
      markItems(sql, inForce(policies, accountId, environment), accountId, environment),
      budgetItems(budgets, course, accountId, environment, nowMs),
      Promise.resolve(seesPolicies ? policyItems(policies, accountId, environment, nowMs) : []),
      seesPolicies ? deploymentItems(sql, reports, accountId, environment) : Promise.resolve([]),
    ]);
    return found.flat();
  }

  private async ofAccount(
    manager: ActingManager,
    environment: Environment | undefined,
    nowMs: number,
  ): Promise<Item[]> {
    const { accountId, scopes } = manager;
    const [keys, trial] = await Promise.all([
      scopes.includes('keys:admin') ? keyItems(this.parts.sql, accountId, environment) : [],
      this.parts.trialOf(accountId),
    ]);
    return trial === null ? keys : [...keys, ...trialItems(trial, nowMs)];
  }
}

function trialItems(
  { ends_at: endsAt, events_used: used, events_included: included, over }: TrialView,
  nowMs: number,
): Item[] {
  const isNear = Date.parse(endsAt) - nowMs < TRIAL_WARN_MS || used >= included * TRIAL_WARN_SHARE;
  if (!over && !isNear) return [];
  return [
    {
      id: itemId('trial_ending', over ? 'over' : 'ahead'),
      ...{ kind: 'trial_ending', severity: over ? 'critical' : 'warn', environment: null },
      args: { ends_at: endsAt, events_used: used, events_included: included, over: over ? 'yes' : 'no' },
      ...{ count: null, sinceMs: null, link: '/subscription' },
    },
  ];
}
