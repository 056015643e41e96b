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

  it('reads gauges when it is scraped and forgets label sets that are gone', async () => {
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
});
