import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sha256Hex } from '../../../../src/bundles/index.js';
import { compilePolicy, entryFiles, makeBundle, type Bundle } from '../../../../src/core/index.js';
import { CATALOG } from '../../../../src/authoring/policy-test/testdata/catalog.js';
import { expectGolden } from '../../../../test/support/golden.js';
import { runWeir, type WeirRun } from '../../../../test/support/run-weir.js';
import { rulesStats } from './stats.js';

const DAY_MS = 86_400_000;

function bundle(rules: string): Bundle {
  const text = `apiVersion: weir/v1
kind: Policy
metadata: { id: production, owner: security@acme.example }
environment: production
default: allow
detectors: { pii: { plugin: pii@^1 }, secrets: { plugin: secrets@^1 } }
rules:
${rules}`;
  const files = [{ path: 'production/policy.yaml', text }];
  const { policy } = compilePolicy({
    environment: 'production',
    files,
    entry: entryFiles(files, 'production'),
    plugins: CATALOG,
  });
  const source = { commit: null, clean: true };
  return makeBundle({ policy: policy!, digest: sha256Hex(policy!.canonical), files, tests: [], source });
}

const OLD = `  - { id: pii.mask, stage: pre, when: { pii.types: { any_of: [EMAIL] } }, then: { action: flag } }
  - { id: key.watch, stage: pre, mode: monitor, review_by: 2030-01-01, when: { secrets.count: { gt: 0 } }, then: { action: flag } }
`;
const NOW = `  - { id: pii.mask-contact, formerly: [pii.mask], stage: pre, when: { pii.types: { any_of: [EMAIL] } }, then: { action: flag } }
  - { id: key.watch, stage: pre, mode: monitor, review_by: 2030-01-01, when: { secrets.count: { gt: 0 } }, then: { action: flag } }
  - { id: new.rule, stage: post, when: { pii.count: { gt: 0 } }, then: { action: flag } }
`;

const hit = (rule: string, at: string, enforced = true): string =>
  `${JSON.stringify({ id: at, violations: [{ rule, enforced }], received_at: at })}\n`;
const HITS = [
  hit('pii.mask-contact', '2026-11-20T10:00:00.000Z'),
  hit('pii.mask', '2026-11-12T10:00:00.000Z'),
  hit('gone.rule', '2026-11-11T10:00:00.000Z', false),
];

/** A service whose second deployment, made yesterday, renamed one rule and added another one. */
describe('weir rules stats', () => {
  let server: Server;
  let url: string;
  let asked: URL[];
  let lines: string[];
  let firstIsFolder: boolean;
  /** The aggregated statistics of the service; undefined for an older service, which has none. */
  let sums: object | undefined;

  const digest = 'a'.repeat(64);
  const deployment = (number: number, ageMs: number): object => ({
    ...{
      number,
      environment: 'production',
      action: 'deploy',
      emergency: false,
      digest,
      version: 'a',
      bundle_digest: digest,
    },
    ...{ base: { number: number - 1, digest }, restores: null, because: null, changed_files: [], waived_tests: [] },
    ...{
      untested: false,
      signed_by: [],
      serial: null,
      source: { commit: null, clean: true },
      token_id: 't',
      person_id: null,
      by_name: null,
    },
    created_at: new Date(Date.now() - ageMs).toISOString(),
  });

  beforeEach(async () => {
    asked = [];
    lines = HITS;
    firstIsFolder = false;
    sums = undefined;
    server = createServer((request, response) => {
      const at = new URL(request.url!, 'http://weir.example');
      asked.push(at);
      const deployments = [deployment(2, DAY_MS), ...(firstIsFolder ? [] : [deployment(1, 200 * DAY_MS)])];
      const answers: Record<string, unknown> = {
        '/v1/policies/production': {
          ...{ environment: 'production', source: 'deployment', policy: 'production', digest, version: 'a' },
          ...{ base: { number: 2, digest }, deployment: deployments[0], replicas: [] },
        },
        '/v1/me': { environments: ['production'] },
        '/v1/policies/production/bundle': bundle(NOW),
        '/v1/policies/production/deployments/1/bundle': bundle(OLD),
        '/v1/policies/production/deployments': { data: deployments, next_before: null },
      };
      const isSums = at.pathname === '/v1/policies/production/rules/stats';
      const answer = isSums ? (sums ?? { error: { type: 'not_found', message: 'no' } }) : answers[at.pathname];
      response.writeHead(isSums && sums === undefined ? 404 : 200, {
        'content-type': 'application/json',
        connection: 'close',
      });
      response.end(at.pathname === '/v1/events/export' ? lines.join('') : JSON.stringify(answer));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => new Promise((closed) => server.close(closed)));

  async function weir(...argv: string[]): Promise<WeirRun> {
    const run = await runWeir(['rules', 'stats', ...argv], {
      catalog: CATALOG,
      env: { WEIR_URL: url, WEIR_TOKEN: 't' },
    });
    return { ...run, stderr: run.stderr.replace(/since \d{4}-\d\d-\d\d/g, 'since <day>') };
  }

  it('counts hits by rule, including hits under former ids, and lists rules that are not in force', async () => {
    expectGolden('rules-stats', await weir('production', '--since', '2026-11-01T00:00:00Z'));
    const exported = asked.find(({ pathname }) => pathname === '/v1/events/export')!;
    expect(Object.fromEntries(exported.searchParams)).toMatchObject({
      environment: 'production',
      type: 'policy.violation',
      from: '2026-11-01T00:00:00Z',
    });
  });

  it('takes hits and marks from the aggregated statistics of a service if it has them, instead of reading events', async () => {
    const marks = { right: 1, wrong: 3, missed: 0 };
    const none = {
      hits: 0,
      enforced: 0,
      excepted: 0,
      first_hit: null,
      last_hit: null,
      marks: { right: 0, wrong: 0, missed: 2 },
    };
    const fired = {
      hits: 7,
      enforced: 5,
      excepted: 2,
      first_hit: '2026-11-12T10:00:00.000Z',
      last_hit: '2026-11-20T10:00:00.000Z',
    };
    const about = { stage: 'pre', action: 'flag', mode: 'enforce', formerly: [], title: 't' };
    sums = {
      ...{ environment: 'production', digest, from: 'a', to: 'b' },
      data: [
        { ...about, ...fired, marks, rule: 'pii.mask-contact', formerly: ['pii.mask'], monitored: 0, spark: [] },
        { ...about, ...none, rule: 'key.watch', mode: 'monitor' },
      ],
      others: [
        { ...fired, marks: { right: 0, wrong: 0, missed: 0 }, rule: 'gone.rule' },
        { ...none, rule: 'marked.alone' },
      ],
    };
    expectGolden('rules-stats-marks', await weir('production', '--since', '2026-11-01T00:00:00Z'));
    const stats = asked.find(({ pathname }) => pathname.endsWith('/rules/stats'))!;
    expect(Object.fromEntries(stats.searchParams)).toEqual({ from: '2026-11-01T00:00:00Z' });
    expect(asked.map(({ pathname }) => pathname)).not.toContain('/v1/events/export');
    const { stdout } = await weir('production', '--json');
    const value = JSON.parse(stdout) as { rules: { marks: object }[] };
    expect(rulesStats.output!.parse(value)).toEqual(value);
    expect(value.rules[0]!.marks).toEqual(marks);
    sums = { digest, data: [{ ...about, ...none, excepted: 4, rule: 'key.watch' }], others: [] };
    expect((await weir('production', '--dead', '90d')).exit).toBe(0);
    const asOld = await weir('production', '--since', '2020-01-01T00:00:00Z');
    expect(asOld.stdout).not.toContain('MARKED WRONG');
    expect(asked.map(({ pathname }) => pathname)).toContain('/v1/events/export');
  });

  it('prints JSON that follows its schema', async () => {
    const { stdout, exit } = await weir('production', '--since', '2026-11-01T00:00:00Z', '--json');
    expect(exit).toBe(0);
    const value = JSON.parse(stdout) as unknown;
    expect(rulesStats.output!.parse(value)).toEqual(value);
    expectGolden('rules-stats-json', { exit, stdout, stderr: '' });
  });

  it('reports every environment that the token may read, if none is named', async () => {
    const { exit, stdout, stderr } = await weir('--since', '2026-11-01T00:00:00Z');
    expect([exit, stderr]).toEqual([0, expect.stringContaining(' of 3 rules in production since <day>')]);
    expect(stdout).toMatch(/^production\nRULE /);
    const named = await weir('production', '--since', '2026-11-01T00:00:00Z', '--json');
    const { stdout: all } = await weir('--since', '2026-11-01T00:00:00Z', '--json');
    const { schemaVersion, ...report } = JSON.parse(named.stdout) as { schemaVersion: number };
    const value = JSON.parse(all) as unknown;
    expect(value).toEqual({ schemaVersion, environments: [report] });
    expect(rulesStats.output!.parse(value)).toEqual(value);
    expect((await weir('moon')).exit).toBe(2);
  });

  it('finds dead rules, except those that are newer than the time span', async () => {
    expectGolden('rules-stats-dead', await weir('production', '--dead', '90d'));
    lines = [...HITS, hit('key.watch', '2026-11-20T10:00:00.000Z', false)];
    expect(await weir('production', '--dead', '90d')).toEqual({
      exit: 0,
      stdout: '',
      stderr: 'exit 0: no dead rule in production: all rules that were active since <day> matched a call\n',
    });
  });

  it('never lists an allow rule as dead, because its matches are not counted', async () => {
    const none = { hits: 0, enforced: 0, excepted: 0, first_hit: null, last_hit: null };
    const marks = { right: 0, wrong: 0, missed: 0 };
    const row = { rule: 'model.good', formerly: [], title: 't', stage: 'pre', action: 'allow', mode: 'enforce' };
    sums = { digest, data: [{ ...row, ...none, marks }], others: [] };
    expect(await weir('production', '--dead', '90d')).toMatchObject({ exit: 0, stdout: '' });
    const { stdout, stderr } = await weir('production');
    expect(stdout).toMatch(/^model\.good +allow .* not counted/m);
    expect(stderr).toContain('0 rules without a hit');
  });

  it('reports that the history is too short to tell since when a rule is in force', async () => {
    firstIsFolder = true;
    const { exit, stderr } = await weir('production', '--dead', '90d');
    expect(exit).toBe(1);
    expect(stderr).toBe(
      'exit 1: 2 rules without a hit since <day>; the history is too short to tell which rules were active all that time\n',
    );
  });

  it.each([
    [['--since', 'yesterday']],
    [['--dead', '2026-01-01T00:00:00Z']],
    [['--dead', '90d', '--since', '7d']],
    [['--since', '2026-99-99']],
  ])('refuses %j', async (flags) => {
    expect((await weir('production', ...flags)).exit).toBe(2);
    expect(asked).toEqual([]);
  });

  it('exits 4 for a line that is not an event', async () => {
    lines = ['{"a":1}\n'];
    expect((await weir('production')).exit).toBe(4);
  });
});
