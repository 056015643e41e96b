import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { SimulatedProvider } from '../support/simulated-provider.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook: string };
}

const { groups } = parse(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')) as { groups: { rules: Alert[] }[] };
const alerts = groups.flatMap(({ rules }) => rules);
const dashboard = JSON.parse(readFileSync('deploy/grafana/weir.json', 'utf8')) as {
  panels: { title: string; targets: { expr: string }[] }[];
};
const queries = [
  ...alerts.map(({ alert, expr }) => [alert, expr] as const),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** The names of metrics in a query, and the labels by which it filters or groups. */
function namedIn(expr: string): { readonly figures: string[]; readonly labels: string[] } {
  const labels = [
    ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/,\s*/)),
    ...[...expr.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map((match) => match[1]!),
  ].filter((label) => label !== 'le');
  return { figures: [...expr.matchAll(/\b(?:weir|process|nodejs)_\w+/g)].map(([name]) => name), labels };
}

describe('The dashboard for Grafana and the alerts for Prometheus', () => {
  let app: TestApp;
  let provider: SimulatedProvider;
  let text: string;
  beforeAll(async () => {
    provider = await SimulatedProvider.start();
    provider.say('hello', 'Hi');
    app = await startTestApp({ env: { WEIR_OPENAI_BASE_URL: provider.url } });
    await fetch(`${app.url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-key': app.bootstrap.keys.production },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] }),
    }).then((answer) => answer.text());
    text = await (await fetch(`${app.url}/metrics`)).text();
  }, 120_000);
  afterAll(async () => {
    await app.close();
    await provider.stop();
  });

  it.each(queries)('query only metrics that the service exports: %s', (_, expr) => {
    const told = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]!));
    const { figures } = namedIn(expr);
    expect(figures.length).toBeGreaterThan(0);
    expect(figures.filter((name) => !told.has(name) && !told.has(name.replace(/_(bucket|sum|count)$/, '')))).toEqual(
      [],
    );
  });

  it.each(queries)('query only labels of those metrics: %s', (_, expr) => {
    const { figures, labels } = namedIn(expr);
    const lines = text.split('\n').filter((line) => figures.some((name) => line.startsWith(`${name}{`)));
    // Metrics without samples have no labels.
    if (lines.length === 0) return;
    expect(labels.filter((label) => !lines.some((line) => line.includes(`${label}="`)))).toEqual([]);
  });

  it('have a metric that counts the answers of providers', () => {
    expect(text).toContain('weir_upstream_duration_seconds_count{provider="openai",outcome="2xx"} 1');
  });

  it('link each alert to a section of the runbook', () => {
    for (const { alert, annotations } of alerts)
      expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
  });
});
