import { Database } from '../../src/database/index.js';
import type { PluginCatalog } from '../../src/core/index.js';
import { judged, PolicyApi, policyFile, testBundle, type Answer } from '../support/deployments.js';
import { describeOnPostgres } from '../support/describe-on-postgres.js';
import { TestPostgres } from '../support/postgres.js';
import { startTestApp, TEST_PLUGINS, type TestApp } from '../support/test-app.js';

/** Resolves when the answer is right; otherwise the time limit of the test ends the wait. */
async function until(ask: () => Promise<Answer>, isRight: (answer: Answer) => boolean): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (isRight(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const allAre = (state: string) => (answer: Answer) => answer.body.replicas.every((replica) => replica.state === state);

describeOnPostgres('Replicas on one PostgreSQL', (binaries) => {
  let postgres: TestPostgres;
  let databaseUrl: string;
  const replicas: TestApp[] = [];
  const start = async (options: { plugins?: PluginCatalog } = {}): Promise<TestApp> => {
    const [first] = replicas;
    const app = await startTestApp({ databaseUrl, ...options, ...(first === undefined ? {} : { replicaOf: first }) });
    replicas.push(app);
    return app;
  };

  beforeAll(async () => {
    postgres = await TestPostgres.start(binaries);
    databaseUrl = await postgres.newDatabase();
    await start();
    await start();
  }, 60_000);
  afterAll(async () => {
    for (const replica of replicas) await replica.close();
    await postgres.stop();
  });

  it('all activate a bundle deployed at one of them, and report it', async () => {
    const [one, other] = replicas as [TestApp, TestApp];
    const bundle = testBundle('Shared');
    expect((await new PolicyApi(one).deploy(bundle)).status).toBe(201);
    const api = new PolicyApi(other);
    const { body } = await until(() => api.active(), allAre('active'));
    expect(body.replicas.map(({ deployment, digest }) => [deployment, digest])).toEqual([
      [1, bundle.policy.digest],
      [1, bundle.policy.digest],
    ]);
    expect((await judged(other, 'hello')).digest).toBe(bundle.policy.digest);
  });

  it('find a deployment even if no notice of it arrives', async () => {
    const [one, other] = replicas as [TestApp, TestApp];
    // As after a lost notice: the row is stored, but nothing was sent on the channel.
    const { sql } = one.weir.app.get(Database);
    await sql.query(
      `INSERT INTO policy_deployments SELECT account_id, environment, 2, 'rollback', NULL, NULL, 1, policy_digest, 0, 'test',
         '{}', '{}', false, now(), '{}', NULL, false, token_id, now() FROM policy_deployments WHERE number = 1`,
    );
    const api = new PolicyApi(other);
    const { body } = await until(() => api.active(), allAre('active'));
    expect([body['source'], body.base.number]).toEqual(['folder', 2]);
  });

  it('keep the last good policy if they cannot activate a deployment, and the list of replicas shows this', async () => {
    const [one] = replicas as [TestApp];
    const before = testBundle('Good everywhere');
    expect((await new PolicyApi(one).deploy(before)).status).toBe(201);
    const words = TEST_PLUGINS.detectors[0]!;
    const extra = { ...words, meta: { ...words.meta, id: 'only-here' } } as typeof words;
    const rich: PluginCatalog = { ...TEST_PLUGINS, detectors: [words, extra] };
    const poor = await start();
    const able = await start({ plugins: rich });
    const { path, text } = policyFile('Needs more');
    const files = [{ path, text: text.replace('test-words@^1', 'only-here@^1') }];
    const needy = testBundle('Needs more', { files, plugins: rich });
    const answer = await new PolicyApi(able).deploy(needy);
    expect(answer.status).toBe(201);
    const { number } = answer.body.deployment;
    const api = new PolicyApi(able);
    const { body } = await until(
      () => api.active(),
      ({ body: { replicas: all } }) => all.every(({ state }) => state !== 'pending'),
    );
    const states = body.replicas.map(({ state, deployment, digest, problem }) => ({
      state,
      deployment,
      digest,
      problem,
    }));
    expect(states).toHaveLength(4);
    const failed = {
      state: 'failed',
      deployment: number - 1,
      digest: before.policy.digest,
      problem: expect.stringMatching(/errors in the policy files\nproduction\/policy.yaml:\d+ G\d+ /) as string,
    };
    expect(states.filter(({ state }) => state === 'failed')).toEqual([failed, failed, failed]);
    expect(states.filter(({ state }) => state === 'active')).toEqual([
      { state: 'active', deployment: number, digest: needy.policy.digest, problem: null },
    ]);
    expect(await judged(poor, 'ssn-7')).toEqual({ status: 400, digest: before.policy.digest });
    expect(await (await fetch(`${poor.url}/metrics`)).text()).toContain('weir_policy_activation_failures 1');
    expect((await new PolicyApi(one).rollback(number - 1, 'Not everywhere')).status).toBe(201);
    await until(() => api.active(), allAre('active'));
  }, 60_000);

  it('refuse calls of an account if none of its deployments can be activated at start', async () => {
    const able = replicas.at(-1)!;
    const api = new PolicyApi(able, 'staging');
    const words = TEST_PLUGINS.detectors[0]!;
    const rich: PluginCatalog = {
      ...TEST_PLUGINS,
      detectors: [words, { ...words, meta: { ...words.meta, id: 'only-here' } } as typeof words],
    };
    const { path, text } = policyFile('Needs more', 'staging');
    const files = [{ path, text: text.replace('test-words@^1', 'only-here@^1') }];
    const needy = testBundle('Needs more', { files, plugins: rich, environment: 'staging', tests: [] });
    expect((await api.deploy(needy, { untested: true })).status).toBe(201);
    const fresh = await start();
    const { body } = await api.active();
    expect(body.replicas.map(({ digest, state }) => [state, digest]).sort()).toContainEqual(['failed', null]);
    const response = await fetch(`${fresh.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${fresh.bootstrap.keys.staging}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'ai.request',
        request_id: 'x',
        payload: { messages: [{ role: 'user', content: 'x' }] },
      }),
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    // Calls in another environment of the same account are still served.
    expect((await judged(fresh, 'hello')).status).toBe(200);
    const ready = (await (await fetch(`${fresh.url}/readyz`)).json()) as { deployed: unknown[] };
    expect(ready.deployed).toContainEqual({ environment: 'staging', digest: null, version: null, accounts: 1 });
  }, 60_000);

  it('start with the deployed policy, and leave the list of replicas on an orderly shutdown', async () => {
    const api = new PolicyApi(replicas[0]!);
    const { base } = (await api.active()).body;
    const fresh = await start();
    expect((await judged(fresh, 'hello')).digest).toBe(base.digest);
    const count = async (): Promise<number> => (await api.active()).body.replicas.length;
    const before = await count();
    await replicas.pop()!.close();
    expect(await count()).toBe(before - 1);
  }, 60_000);
});
