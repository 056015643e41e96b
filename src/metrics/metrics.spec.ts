import { Metrics } from './index.js';

const VIOLATION = {
  rule: 'pii.redact-contact',
  policy: 'baseline',
  category: 'personal_data',
  severity: 'medium',
  action: 'redact',
  enforced: false,
  message: 'Contact details',
} as const;

describe('Metrics', () => {
  it('counts judgements by environment, rule and detector', async () => {
    const metrics = new Metrics();
    const outcomes = [
      { detector: 'pii', plugin: 'pii', revision: 1, status: 'scanned', findings: [] },
      { detector: 'secrets', plugin: 'secrets', revision: 1, status: 'failed', reason: 'timeout' },
    ] as const;
    metrics.judged({
      accountId: 'account',
      source: 'rest',
      environment: 'staging',
      decision: 'redact',
      violations: [VIOLATION],
      outcomes,
      tookMs: 3,
    });
    const text = await metrics.text();
    expect(text).toContain('weir_decisions_total{source="rest",environment="staging",decision="redact"} 1');
    expect(text).toContain(
      'weir_rule_hits_total{environment="staging",rule="pii.redact-contact",action="redact",enforced="false"} 1',
    );
    expect(text).toContain('weir_detector_outcomes_total{detector="secrets",status="timeout"} 1');
    expect(text).toContain('weir_judgement_duration_seconds_sum{source="rest"} 0.003');
  });

  it('counts requests by route and status', async () => {
    const metrics = new Metrics();
    metrics.served({ method: 'POST', route: '/v1/events', status: 200, durationMs: 12 });
    expect(await metrics.text()).toContain('weir_http_requests_total{method="POST",route="/v1/events",status="200"} 1');
  });

  it('shows a limited number of series with ids that accounts choose, at the cost of the account that has most of them', async () => {
    const metrics = new Metrics();
    const hit = (accountId: string, rule: string): void =>
      metrics.judged({
        ...{ accountId, source: 'rest', environment: 'staging', decision: 'redact', outcomes: [], tookMs: 3 },
        violations: [{ ...VIOLATION, rule }],
      });
    const shown = async (): Promise<string[]> =>
      [...(await metrics.text()).matchAll(/^weir_rule_hits_total{.*rule="([^"]+)".*} \d+$/gm)].map(([, rule]) => rule!);
    for (const rule of ['pii', 'secrets']) hit('small', rule);
    for (let rule = 0; rule < 1_998; rule++) hit('large', `rule-${rule}`);
    expect(await shown()).toHaveLength(2_000);
    hit('large', 'rule-0');
    for (let rule = 0; rule < 500; rule++) hit('large', `new-${rule}`);
    hit('third', 'own');
    const rules = await shown();
    expect(rules).toHaveLength(2_000);
    expect(rules).toEqual(expect.arrayContaining(['pii', 'secrets', 'own', 'rule-0', 'new-499']));
    expect(rules).not.toContain('rule-1');
  });

  it('counts a series from zero when it comes back', async () => {
    const metrics = new Metrics();
    const count = metrics.countOfAccounts('weir_budget_exceeded_total', 'Exceeded.', ['budget']);
    count('account', { budget: 'first' }, 5);
    for (let budget = 0; budget < 2_000; budget++) count('account', { budget: `budget-${budget}` });
    expect(await metrics.text()).not.toContain('budget="first"');
    count('account', { budget: 'first' });
    expect(await metrics.text()).toContain('weir_budget_exceeded_total{budget="first"} 1');
  });

  it('continues counting after a scrape, regardless of the order of labels', async () => {
    const metrics = new Metrics();
    const count = metrics.count('weir_budget_denials_total', 'Refused.', ['environment', 'budget']);
    count({ environment: 'production', budget: 'team' });
    expect(await metrics.text()).toContain('weir_budget_denials_total{environment="production",budget="team"} 1');
    count({ budget: 'team', environment: 'production' }, 2);
    expect(await metrics.text()).toContain('weir_budget_denials_total{environment="production",budget="team"} 3');
  });

  it('reports times in cumulative buckets', async () => {
    const metrics = new Metrics();
    for (const tookMs of [1, 40, 50, 90_000]) metrics.askedProvider('openai', 200, tookMs);
    const text = await metrics.text();
    const series = 'provider="openai",outcome="2xx"';
    for (const [le, count] of [
      ['0.001', 1],
      ['0.025', 1],
      ['0.05', 3],
      ['60', 3],
      ['+Inf', 4],
    ])
      expect(text).toContain(`weir_upstream_duration_seconds_bucket{le="${le}",${series}} ${count}`);
    expect(text).toContain(`weir_upstream_duration_seconds_count{${series}} 4`);
    expect(text).toContain('weir_event_log_batch_events_count 0');
  });

  it('reads gauges at each scrape and drops label sets that no longer exist', async () => {
    const metrics = new Metrics();
    let version = 'a';
    metrics.gauge('weir_event_log_backlog', 'Waiting.', () => 7);
    metrics.labelledGauge('weir_policy_info', 'Active.', ['version'], () => [{ labels: { version }, value: 1 }]);
    expect(await metrics.text()).toContain('weir_policy_info{version="a"} 1');
    version = 'b';
    const text = await metrics.text();
    expect(text).toContain('weir_event_log_backlog 7');
    expect(text).toContain('weir_policy_info{version="b"} 1');
    expect(text).not.toContain('version="a"');
  });

  it('exports a gauge without labels only while it has a value', async () => {
    const metrics = new Metrics();
    let values = [{ labels: {}, value: 1 }];
    metrics.labelledGauge('weir_read_replica_up', 'Up.', [], () => values);
    expect(await metrics.text()).toMatch(/^weir_read_replica_up 1$/m);
    values = [];
    const text = await metrics.text();
    expect(text).toContain('# TYPE weir_read_replica_up gauge');
    expect(text).not.toMatch(/^weir_read_replica_up /m);
  });
});
