import { TEST_POLICIES, testPolicy } from './test-app.js';

const BUDGET = `budgets:
  - { id: team, scope: [app], window: { per: month, timezone: UTC }, limit: { tokens: 9000000 }, on_exceed: record }`;

/** Policies with a budget, so that a backup holds a ledger. */
export const BACKUP_POLICIES = {
  ...TEST_POLICIES,
  'production/policy.yaml': testPolicy('production', `client_monitor_mode: ignore\ncontent: redacted\n${BUDGET}`),
};

/** An event that the budget counts, with characters that a database may fail to preserve. */
export const backupEvent = (id: string) => ({
  ...{ type: 'ai.response', event_id: id, request_id: id },
  payload: { output: `hello from ${id} \u0000 ü`, usage: { prompt_tokens: 1_000, completion_tokens: 500 } },
});
