import type { BudgetAudit } from '../../src/core/index.js';
import { Database } from '../../src/database/index.js';
import { appWithUpstream } from '../support/app-with-upstream.js';
import { COUNTED } from '../support/budget-audit.js';
import { TEST_POLICIES, testPolicy } from '../support/test-app.js';

type Bound = 'staging' | 'production';

describe('GET /v1/budget-audit', () => {
  const settings = `client_monitor_mode: ignore\ncontent: redacted\n${COUNTED}`;
  const { app, upstream } = appWithUpstream({
    policies: {
      ...TEST_POLICIES,
      'production/policy.yaml': testPolicy('production', settings),
      'staging/policy.yaml': testPolicy('staging', settings),
    },
  });
  const call = async (environment: Bound): Promise<number> => {
    const response = await fetch(`${app().url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-service-key': app().bootstrap.keys[environment], 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  const tokenFor = async (environment?: Bound): Promise<string> => {
    const response = await fetch(`${app().url}/v1/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app().bootstrap.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'auditor', scopes: ['events:read'], ...(environment && { environment }) }),
    });
    return ((await response.json()) as { secret: string }).secret;
  };
  const auditFor = async (environment?: Bound): Promise<BudgetAudit> => {
    const headers = { authorization: `Bearer ${await tokenFor(environment)}` };
    return (await (await fetch(`${app().url}/v1/budget-audit`, { headers })).json()) as BudgetAudit;
  };
  const environmentsFor = async (environment?: Bound): Promise<string[]> => {
    const { data } = await auditFor(environment);
    return [...new Set(data.map((window) => window.environment))].sort();
  };

  it('contains all windows of the account, or those of the environment to which the token is bound', async () => {
    upstream().answerJson({
      ...{ id: 'c', object: 'chat.completion', model: 'gpt-4o' },
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    });
    expect([await call('production'), await call('staging')]).toEqual([200, 200]);
    expect(await environmentsFor()).toEqual(['production', 'staging']);
    expect(await environmentsFor('staging')).toEqual(['staging']);
    expect(await environmentsFor('production')).toEqual(['production']);
  });

  it('counts the unsettled calls of that environment only', async () => {
    await app()
      .weir.app.get(Database)
      .sql.query(
        `UPDATE budget_reservations r SET resolved_at = NULL FROM events v
         WHERE v.id = r.id AND v.account_id = r.account_id AND v.environment = 'production'`,
      );
    const countsFor = async (environment?: Bound) => {
      const { exact, unsettled_events: unsettled } = await auditFor(environment);
      return { exact, unsettled };
    };
    expect(await countsFor()).toEqual({ exact: false, unsettled: 1 });
    expect(await countsFor('production')).toEqual({ exact: false, unsettled: 1 });
    expect(await countsFor('staging')).toEqual({ exact: true, unsettled: 0 });
  });
});
