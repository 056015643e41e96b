import type { BudgetAudit } from '../../src/core/index.js';
import type { Bootstrap } from './server-process.js';

/** Policy settings with budgets for every call: its tokens are reserved before it and settled after it. */
export const COUNTED = `default_max_tokens: 1000
budgets:
  - { id: all, scope: [], window: { per: total }, limit: { tokens: 1000000000 }, on_exceed: block }
  - { id: by-app, scope: [app, model], window: { per: day, timezone: Europe/Berlin }, limit: { tokens: 1000000000 } }`;

/** Expects that `weir budgets audit` would succeed: log, ledger and budgets agree, and no call is unsettled. */
export async function expectExactBudgets(app: { readonly url: string; readonly bootstrap: Bootstrap }): Promise<void> {
  const audit = await readAudit(app);
  const wrong = audit.data.filter(
    ({ exact, reserved, held }) => !exact || Number(reserved) !== 0 || Number(held) !== 0,
  );
  expect({ wrong, unsettled: audit.unsettled_events, exact: audit.exact }).toEqual({
    wrong: [],
    unsettled: 0,
    exact: true,
  });
}

export async function readAudit(app: {
  readonly url: string;
  readonly bootstrap: { readonly token: string };
}): Promise<BudgetAudit> {
  const headers = { authorization: `Bearer ${app.bootstrap.token}` };
  return (await (await fetch(`${app.url}/v1/budget-audit`, { headers })).json()) as BudgetAudit;
}
