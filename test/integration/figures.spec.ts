import { readFileSync } from 'node:fs';
import type { Registry } from 'prom-client';
import { parse } from 'yaml';
import { Overload } from '../../src/limits/index.js';
import { Metrics } from '../../src/metrics/index.js';
import type { AdmissionQueue } from '../../src/overload/index.js';
import { SimulatedProvider } from '../support/simulated-provider.js';
import { startTestApp, TEST_POLICIES, testPolicy, type TestApp } from '../support/test-app.js';

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

/** Queried metrics that have no samples in this test, each with the reason. */
const WITHOUT_SAMPLES: Readonly<Record<string, string>> = {
  weir_read_replica_up: 'The embedded database has no read replica.',
};

/** A budget that admits no call. */
const NOTHING_LEFT = `client_monitor_mode: honor
content: none
default_max_tokens: 50
budgets:
  - { id: nothing, scope: [], window: { per: total }, limit: { tokens: 1 }, on_exceed: block }`;

/** The names of metrics in a query, and the labels by which it filters or groups. */
function namedIn(expr: string): { readonly figures: string[]; readonly labels: string[] } {
  const labels = [
    ...[...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/,\s*/)),
    ...[...expr.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map((match) => match[1]!),
  ].filter((label) => label !== 'le');
  return { figures: [...expr.matchAll(/\b(?:weir|process|nodejs)_\w+/g)].map(([name]) => name), labels };
}

/** Sends a request while the service believes that its queue of calls is long. */
async function whileOverloaded<T>({ weir }: TestApp, send: () => Promise<T>): Promise<T> {
  const queue = Reflect.get(weir.app.get(Overload, { strict: false }), 'queue') as AdmissionQueue;
  Object.defineProperties(queue, {
    isBusy: { value: true, configurable: true },
    refusalOf: { value: () => 1_000, configurable: true },
  });
  try {
    return await send();
  } finally {
    for (const name of ['isBusy', 'refusalOf']) Reflect.deleteProperty(queue, name);
  }
}

/** Sends a request of each kind that the queried metrics count. @returns the statuses of the answers */
async function statusesOfTraffic(app: TestApp): Promise<Readonly<Record<string, number>>> {
  const { production, staging } = app.bootstrap.keys;
  const post = async (path: string, headers: Readonly<Record<string, string>>, body: object): Promise<number> => {
    const answer = await fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    await answer.arrayBuffer();
    return answer.status;
  };
  const chat = (key: string, content: string, more: object = {}): Promise<number> => {
    const body = { model: 'gpt-4o', messages: [{ role: 'user', content }], ...more };
    return post('/proxy/openai/v1/chat/completions', { 'x-service-key': key }, body);
  };
  const event = { type: 'ai.request', request_id: 'refused', payload: { prompt: 'hello' } };
  const report = { 'document-uri': 'https://weir.example/events', 'effective-directive': 'script-src' };
  return {
    answered: await chat(production, 'hello'),
    streamed: await chat(production, 'hello', { stream: true }),
    blocked: await chat(production, 'ssn-1'),
    overBudget: await chat(staging, 'hello'),
    overloaded: await whileOverloaded(app, () => post('/v1/events', { authorization: `Bearer ${production}` }, event)),
    reported: await post('/csp-reports', { 'content-type': 'application/csp-report' }, { 'csp-report': report }),
  };
}

describe('The dashboard for Grafana and the alerts for Prometheus', () => {
  let app: TestApp;
  let provider: SimulatedProvider;
  let statuses: Readonly<Record<string, number>>;
  let text: string;
  beforeAll(async () => {
    provider = await SimulatedProvider.start();
    provider.say('hello', 'Hi');
    app = await startTestApp({
      env: { WEIR_OPENAI_BASE_URL: provider.url },
      policies: { ...TEST_POLICIES, 'staging/policy.yaml': testPolicy('staging', NOTHING_LEFT) },
    });
    statuses = await statusesOfTraffic(app);
    text = await (await fetch(`${app.url}/metrics`)).text();
  }, 120_000);
  afterAll(async () => {
    await app.close();
    await provider.stop();
  });

  const exported = (): Set<string> => new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map((match) => match[1]!));
  const samplesOf = (name: string): string[] =>
    text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));

  /** The labels of a metric's samples; without samples, those in its definition. */
  function labelsOf(name: string): string[] {
    if (!(name in WITHOUT_SAMPLES))
      return samplesOf(name).flatMap((line) => [...line.matchAll(/[{,](\w+)="/g)].map((match) => match[1]!));
    const registry = Reflect.get(app.weir.app.get(Metrics, { strict: false }), 'registry') as Registry;
    const { labelNames } = registry.getSingleMetric(name) as unknown as { labelNames: string[] };
    return labelNames;
  }

  it('are tested with traffic of every kind', () => {
    expect(statuses).toEqual({
      answered: 200,
      streamed: 200,
      blocked: 400,
      overBudget: 400,
      overloaded: 503,
      reported: 204,
    });
  });

  it.each(queries)('query only metrics that the service exports: %s', (_, expr) => {
    const seen = exported();
    const { figures } = namedIn(expr);
    expect(figures.length).toBeGreaterThan(0);
    expect(figures.filter((name) => !seen.has(name) && !seen.has(name.replace(/_(bucket|sum|count)$/, '')))).toEqual(
      [],
    );
  });

  it.each(queries)('query only metrics that have samples: %s', (_, expr) => {
    const empty = namedIn(expr).figures.filter((name) => samplesOf(name).length === 0);
    expect(empty.filter((name) => !(name in WITHOUT_SAMPLES))).toEqual([]);
  });

  it.each(Object.entries(WITHOUT_SAMPLES))('query %s, which has no samples: %s', (name) => {
    expect(queries.some(([, expr]) => namedIn(expr).figures.includes(name))).toBe(true);
    expect(samplesOf(name)).toEqual([]);
  });

  it.each(queries)('query only labels of those metrics: %s', (_, expr) => {
    const { figures, labels } = namedIn(expr);
    const known = new Set(figures.flatMap(labelsOf));
    expect(labels.filter((label) => !known.has(label))).toEqual([]);
  });

  it('have a metric that counts the answers of providers', () => {
    expect(text).toContain('weir_upstream_duration_seconds_count{provider="openai",outcome="2xx"} 2');
  });

  it('link each alert to a section of the runbook', () => {
    for (const { alert, annotations } of alerts)
      expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
  });

  it('are explained by a guide that names every metric of the service', () => {
    const guide = readFileSync('docs/guides/observe.md', 'utf8');
    const named = [...exported()].filter((name) => name.startsWith('weir_'));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter((name) => !guide.includes(`\`${name}\``))).toEqual([]);
  });
});
