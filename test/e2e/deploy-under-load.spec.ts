import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PLUGINS } from '../../plugins/index.js';
import { compilePolicy, makeBundle, type Bundle } from '../../src/core/index.js';
import { PolicyApi } from '../support/deployments.js';
import { isolationEnv } from '../support/isolation-notes.js';
import { findPostgresBinaries, TestPostgres } from '../support/postgres.js';
import { readBootstrap, ServerProcess, type Bootstrap } from '../support/server-process.js';

const DEPLOYS = 8;
const REQUESTS_PER_SECOND = 200;
/** The number of requests between two deployments, so that calls are judged by each deployment. */
const REQUESTS_PER_DEPLOY = 150;

/** A policy whose only rule contains its number, and fires for every mail address. */
function numberedBundle(number: number): Bundle {
  const path = 'production/policy.yaml';
  const text = `
apiVersion: weir/v1
kind: Policy
metadata: { id: production, title: Numbered, owner: tests@example.com }
environment: production
default: allow
content: redacted
detectors: { pii: { plugin: pii@^1 } }
rules:
  - id: load.number-${number}
    title: Says which policy judged
    stage: pre
    severity: low
    when: { all: [ { pii.types: { any_of: [EMAIL] } } ] }
    then: { action: flag }
    on_unknown: no_match
`;
  const tests = `
apiVersion: weir/v1
kind: PolicyTest
environments: [production]
tests:
  - id: says-its-number
    text: "to {{EMAIL:jane@example.com}}"
    expect: { action: allow, rules: [load.number-${number}] }
`;
  const files = [{ path, text }];
  const { policy } = compilePolicy({ environment: 'production', files, entry: [path], plugins: PLUGINS });
  if (policy === undefined) throw new Error('the numbered policy does not compile');
  const digest = createHash('sha256').update(policy.canonical).digest('hex');
  const source = { commit: null, clean: false };
  return makeBundle({ policy, digest, files, tests: [{ path: 'tests/number.test.yaml', text: tests }], source });
}

interface Recorded {
  readonly event_id: string;
  readonly policy: { readonly digest: string };
  readonly violations: readonly { readonly rule: string }[];
}

/** Sends requests at a steady rate, to the servers in turn, until it is stopped. Keeps the answer to every request. */
class Load {
  readonly answers = new Map<string, { status: number; rules: readonly string[] }>();
  sent = 0;
  private isOver = false;
  private readonly waiting = new Set<Promise<void>>();
  private readonly done: Promise<void>;

  constructor(
    private readonly servers: readonly ServerProcess[],
    private readonly key: string,
  ) {
    this.done = this.run();
  }

  async reach(count: number): Promise<void> {
    while (this.sent < count) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  async stop(): Promise<void> {
    this.isOver = true;
    await this.done;
    await Promise.all(this.waiting);
  }

  private async run(): Promise<void> {
    const startedMs = performance.now();
    while (!this.isOver) {
      const due = Math.floor(((performance.now() - startedMs) / 1_000) * REQUESTS_PER_SECOND);
      while (this.sent < due && this.waiting.size < REQUESTS_PER_SECOND) this.send(this.sent++);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  private send(number: number): void {
    const id = `load-${number}`;
    const sending = this.post(this.servers[number % this.servers.length]!, id)
      .then((answer) => void this.answers.set(id, answer))
      .catch(() => void this.answers.set(id, { status: 0, rules: [] }))
      .finally(() => this.waiting.delete(sending));
    this.waiting.add(sending);
  }

  private async post(server: ServerProcess, id: string) {
    const response = await fetch(`${server.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'ai.request',
        event_id: id,
        request_id: id,
        payload: { messages: [{ role: 'user', content: 'write to jane@example.com' }] },
      }),
    });
    const body = (await response.json()) as { violations?: { rule: string }[] };
    return { status: response.status, rules: (body.violations ?? []).map(({ rule }) => rule) };
  }
}

async function recorded(server: ServerProcess, { token }: Bootstrap): Promise<Recorded[]> {
  const events: Recorded[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: '200', type: 'ai.request', ...(cursor === null ? {} : { cursor }) });
    const response = await fetch(`${server.url}/v1/events?${query}`, { headers: { authorization: `Bearer ${token}` } });
    const page = (await response.json()) as { data: Recorded[]; next_cursor: string | null };
    events.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return events;
}

const binaries = findPostgresBinaries();
const onPostgres = binaries === undefined ? it.skip : it;
if (binaries === undefined) console.warn('SKIPPED, no PostgreSQL binaries found: deployments under load');

describe('Deployments under load', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-deploy-'));
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  onPostgres(
    `lose no request on two replicas, and each decision is that of one policy, at ${REQUESTS_PER_SECOND} requests/s`,
    async () => {
      const postgres = await TestPostgres.start(binaries!);
      const servers: ServerProcess[] = [];
      try {
        const env = { DATABASE_URL: await postgres.newDatabase(), WEIR_DATA_DIR: dataDir, WEIR_LOG_LEVEL: 'error' };
        for (const command of ['migrate', 'bootstrap'])
          execFileSync(process.execPath, ['dist/cli/main.js', 'server', command], {
            env: { PATH: process.env['PATH'] ?? '', ...isolationEnv(), ...env },
            stdio: 'pipe',
          });
        const bootstrap = readBootstrap(dataDir);
        servers.push(await ServerProcess.start(env), await ServerProcess.start(env));
        const apis = servers.map(({ url }) => new PolicyApi({ url, bootstrap }));
        const bundles = Array.from({ length: DEPLOYS }, (_, index) => numberedBundle(index + 1));
        expect((await apis[0]!.deploy(bundles[0]!)).status).toBe(201);
        await settled(apis);
        const load = new Load(servers, bootstrap.keys.production);
        for (const [index, bundle] of bundles.entries()) {
          if (index === 0) continue;
          await load.reach(index * REQUESTS_PER_DEPLOY);
          expect((await apis[index % 2]!.deploy(bundle)).status).toBe(201);
          // An invalid deployment in between changes nothing.
          expect((await apis[index % 2]!.deploy({ ...bundle, tests: bundles[0]!.tests })).status).toBe(422);
        }
        await settled(apis);
        await load.reach(load.sent + REQUESTS_PER_DEPLOY);
        await load.stop();

        const answers = [...load.answers.values()];
        expect(answers).toHaveLength(load.sent);
        expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
        const events = await recorded(servers[0]!, bootstrap);
        expect(new Set(events.map(({ event_id: id }) => id)).size).toBe(load.sent);
        expect(events).toHaveLength(load.sent);
        const ruleOf = new Map(bundles.map(({ policy }, index) => [policy.digest, `load.number-${index + 1}`]));
        const mixed = events.filter(({ event_id: id, policy, violations }) => {
          const rules = violations.map(({ rule }) => rule);
          return rules.join() !== ruleOf.get(policy.digest) || load.answers.get(id)?.rules.join() !== rules.join();
        });
        expect(mixed).toEqual([]);
        expect(new Set(events.map(({ policy }) => policy.digest)).size).toBe(DEPLOYS);
      } finally {
        for (const server of servers) await server.stop();
        await postgres.stop();
      }
    },
    300_000,
  );
});

/** Resolves when every replica runs the newest deployment. */
async function settled(apis: readonly PolicyApi[]): Promise<void> {
  for (;;) {
    const { body } = await apis[0]!.active();
    if (body.replicas.length === 2 && body.replicas.every(({ state }) => state === 'active')) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
