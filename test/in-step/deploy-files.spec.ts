import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig, SETTINGS } from '../../src/config/index.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly version: string };
const { differenceOf } = (await import(`${process.cwd()}/scripts/rendered-chart.mjs`)) as {
  differenceOf: (manifests: string, rendered: string) => object | undefined;
};
const read = (file: string): string => readFileSync(file, 'utf8');
const MANIFESTS = 'deploy/kubernetes/weir.yaml';

interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly replicas?: number;
    readonly scaleTargetRef?: { readonly kind: string; readonly name: string };
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly {
          readonly image: string;
          readonly securityContext: object;
          readonly readinessProbe: { readonly httpGet: { readonly path: string } } & Record<
            'periodSeconds' | 'failureThreshold',
            number
          >;
        }[];
      };
    };
  };
}

const manifests = parseAllDocuments(read(MANIFESTS)).map((document) => document.toJS() as Manifest | null);
const replica = manifests.find((manifest) => manifest?.kind === 'StatefulSet')!.spec.template.spec;
const SETTING_NAMES = new Set(Object.values(SETTINGS).map(({ name }) => name));
const { server } = loadConfig({}, () => '', '/');

describe('The deployment files for operators', () => {
  it.each([
    ['the container', 'Dockerfile', /\b((?:WEIR_\w+|HOST|PORT))=/g],
    ['compose', 'compose.yaml', /^ {4}([A-Z_]+): /gm],
    ['the chart', 'deploy/helm/weir/values.yaml', /\b(WEIR_\w+|DATABASE_URL|REDIS_URL)\b/g],
    ['the manifests', MANIFESTS, /name: "?((?:WEIR|OTEL)_\w+)/g],
    ['systemd', 'deploy/systemd/weir.service', /\b(WEIR_\w+)=/g],
  ])('contain only existing settings in %s', (_, file, pattern) => {
    const named = [...read(file).matchAll(pattern)].map((match) => match[1]!);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !SETTING_NAMES.has(name))).toEqual([]);
  });

  it('include manifests that differ from the rendered chart only in their header', () => {
    const rendered = '---\nkind: Service\nspec:\n  port: 80\n';
    const firstDifference = (text: string): object | undefined =>
      differenceOf(`# Generated from the chart.\n# A secret must exist.\n${text}`, rendered);
    expect(firstDifference(rendered)).toBeUndefined();
    const changed = { line: 6, manifest: '  port: 81', chart: '  port: 80' };
    expect(firstDifference(rendered.replace('80', '81'))).toEqual(changed);
    expect(firstDifference(`${rendered}---\nkind: Secret\n`)).toEqual({ line: 7, manifest: '---', chart: '' });
    expect(firstDifference('---\nkind: Service\n')).toEqual({ line: 5, manifest: '', chart: 'spec:' });
  });

  it('have the version of this checkout', () => {
    const chart = parse(read('deploy/helm/weir/Chart.yaml')) as { version: string; appVersion: string };
    expect([chart.version, chart.appVersion]).toEqual([version, version]);
    expect(replica.containers[0]!.image).toBe(`weir:${version}`);
    expect(read('compose.yaml')).toContain(`image: weir:${version}\n`);
    expect(read('deploy/systemd/weir.service')).toContain(`weir-server@${version}`);
  });

  it('detect in time that a replica is shutting down, and give it time to finish', () => {
    const { httpGet, periodSeconds, failureThreshold } = replica.containers[0]!.readinessProbe;
    expect(httpGet.path).toBe('/readyz');
    expect(periodSeconds * failureThreshold * 1_000).toBeLessThan(server.shutdownNoticeMs);
    expect(replica.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(server.drainTimeoutMs);
    const compose = parse(read('compose.yaml'), { merge: true }) as {
      services: Record<string, { stop_grace_period?: string }>;
    };
    for (const name of ['weir-1', 'weir-2']) {
      expect(Number.parseInt(compose.services[name]!.stop_grace_period!, 10) * 1_000).toBeGreaterThan(
        server.drainTimeoutMs,
      );
    }
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(read('deploy/systemd/weir.service'))!;
    expect(Number(seconds) * 1_000).toBeGreaterThan(server.drainTimeoutMs);
    // The chart has a value for it: a longer drain limit needs a longer time to end.
    const values = parse(read('deploy/helm/weir/values.yaml')) as { terminationGracePeriodSeconds: number };
    expect(values.terminationGracePeriodSeconds).toBe(replica.terminationGracePeriodSeconds);
    const template = read('deploy/helm/weir/templates/statefulset.yaml');
    expect(template).toContain('terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}');
  });

  it('start every service of compose again after the machine has restarted', () => {
    const { services } = parse(read('compose.yaml'), { merge: true }) as {
      services: Record<string, { restart?: string }>;
    };
    const once = Object.keys(services).filter((name) => services[name]!.restart !== 'unless-stopped');
    expect(once).toEqual(['migrate', 'bootstrap']);
  });

  it('give the service no privileges, and only its own disk', () => {
    expect(
      manifests
        .map((manifest) => manifest?.kind)
        .filter(Boolean)
        .sort(),
    ).toEqual([...['HorizontalPodAutoscaler', 'NetworkPolicy', 'PodDisruptionBudget', 'Service', 'StatefulSet']]);
    expect(replica.containers[0]!.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(read('Dockerfile')).toMatch(/^USER 1000:1000$/m);
  });

  it('leave the number of replicas to the autoscaler, so that an upgrade does not reset it', () => {
    const scaled = manifests.find((manifest) => manifest?.kind === 'HorizontalPodAutoscaler')!.spec.scaleTargetRef;
    expect(scaled).toMatchObject({ kind: 'StatefulSet', name: 'weir' });
    expect(manifests.find((manifest) => manifest?.kind === 'StatefulSet')!.spec).not.toHaveProperty('replicas');
    expect(read('deploy/helm/weir/templates/statefulset.yaml')).not.toMatch(/^\s*replicas:/m);
  });

  it('describe each step that the systemd unit needs before its first start', () => {
    const unit = read('deploy/systemd/weir.service');
    const [, policies] = /^Environment=.*\bWEIR_POLICIES_DIR=(\S+)/m.exec(unit)!;
    const [, settings] = /^EnvironmentFile=(\S+)$/m.exec(unit)!;
    const steps = unit.slice(0, unit.indexOf('[Unit]'));
    for (const step of [`weir init ${policies}\n`, ` ${settings} `, 'weir server migrate\n', 'weir server bootstrap\n'])
      expect(steps).toContain(step);
  });

  it('start the service under systemd again, however often a start fails', () => {
    const unit = read('deploy/systemd/weir.service');
    const section = unit.slice(unit.indexOf('[Unit]'), unit.indexOf('[Service]'));
    expect(section).toMatch(/^StartLimitIntervalSec=0$/m);
    expect(unit).toMatch(/^Restart=always$/m);
  });

  it('build the image from the tested package', () => {
    expect(read('Dockerfile')).toContain('node scripts/packages.mjs server');
  });
});
