/** Metrics, alerts, the dashboard for Grafana and the guide name the same things. */
import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { parse } from 'yaml';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What promtool expects of an alert at a time. */
interface AlertCase {
  readonly alertname: string;
  readonly exp_alerts: readonly {
    readonly exp_labels: Readonly<Record<string, string>>;
    readonly exp_annotations: Readonly<Record<string, string>>;
  }[];
}

const readYaml = (file: string): unknown => parse(readFileSync(file, 'utf8'));
const { groups } = readYaml('deploy/prometheus/alerts.yaml') as { groups: { rules: Alert[] }[] };
const { tests } = readYaml('deploy/prometheus/alerts.test.yaml') as { tests: { alert_rule_test: AlertCase[] }[] };
const { panels } = JSON.parse(readFileSync('deploy/grafana/weir.json', 'utf8')) as {
  panels: { id: number; gridPos: { x: number; y: number }; targets: { expr: string }[] }[];
};
const alerts = groups.flatMap(({ rules }) => rules).map((rule) => ({ ...rule, name: rule.alert }));
const cases = tests.flatMap((each) => each.alert_rule_test);

/** The names of metrics in a query, without the suffixes of a histogram's series. */
const metricsIn = (expr: string): string[] =>
  [...expr.matchAll(/\bweir_\w+/g)].map(([name]) => name.replace(/_(?:bucket|sum|count)$/, ''));

/** The methods that create a metric. */
const CREATES = /(?:^|\.)(?:count|countOfAccounts|counter|gauge|histogram|labelledGauge|times)$/;

/** The metrics that the sources of the server create. */
function createdMetrics(): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && CREATES.test(node.expression.getText())) {
      const [name] = node.arguments;
      if (name !== undefined && ts.isStringLiteralLike(name) && name.text.startsWith('weir_')) names.push(name.text);
    }
    ts.forEachChild(node, visit);
  };
  for (const file of globSync('src/**/*.ts').filter((each) => !each.endsWith('.spec.ts'))) {
    const text = readFileSync(file, 'utf8');
    if (text.includes("'weir_")) visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  }
  return names;
}

describe('The alerts for Prometheus', () => {
  it.each(alerts)('have a test in which $name fires, with its labels and annotations', ({ name, ...rule }) => {
    const fired = cases.filter(({ alertname }) => alertname === name).flatMap((each) => each.exp_alerts);
    expect(fired.length).toBeGreaterThan(0);
    for (const { exp_labels: labels, exp_annotations: annotations } of fired) {
      expect(labels).toMatchObject(rule.labels);
      expect(annotations).toEqual(rule.annotations);
    }
  });

  it.each(alerts)('have a test in which $name does not fire', ({ name }) => {
    const quiet = cases.filter(({ alertname, exp_alerts: fired }) => alertname === name && fired.length === 0);
    expect(quiet.length).toBeGreaterThan(0);
  });
});

describe('The dashboard for Grafana', () => {
  it.each(alerts)('has a panel for each metric of $name', ({ expr }) => {
    const shown = new Set(panels.flatMap(({ targets }) => targets).flatMap((target) => metricsIn(target.expr)));
    const metrics = metricsIn(expr);
    expect(metrics.length).toBeGreaterThan(0);
    expect(metrics.filter((metric) => !shown.has(metric))).toEqual([]);
  });

  it('has an id and a place of its own for each panel', () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x},${y}`)).size).toBe(panels.length);
  });
});

it('The guide to monitoring names every metric that the service creates', () => {
  const guide = readFileSync('docs/guides/observe.md', 'utf8');
  const named = new Set([...guide.matchAll(/`(weir_\w+)`/g)].map(([, name]) => name));
  const created = createdMetrics();
  expect(created.length).toBeGreaterThan(50);
  expect(created.filter((name) => !named.has(name))).toEqual([]);
});
