import { generateKeyPairSync } from 'node:crypto';
import { actorWithoutRequest, AdminAudit } from '../../src/admin-audit/index.js';
import { bundleDigest, signBundle, type SignedFor } from '../../src/bundles/index.js';
import { bundleText } from '../../src/core/index.js';
import { Database } from '../../src/database/index.js';
import { Activator } from '../../src/deployments/activator.js';
import { DeploymentHistory } from '../../src/deployments/deployment-history.js';
import { eachApp } from '../support/each-app.js';
import { judged, PolicyApi, policyFile, signedBefore, SSN_TEST, testBundle } from '../support/deployments.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

eachApp('Deploying policies', (current) => {
  let api: PolicyApi;
  beforeAll(() => {
    api = new PolicyApi(current());
  });
  const numberNow = async (): Promise<number> => (await api.active()).body.base.number;

  it('reports the folder as the source of the policy before the first deployment', async () => {
    const { status, body } = await api.active();
    expect([status, body['source'], body.base.number, body.deployment]).toEqual([200, 'folder', 0, null]);
    expect(body.replicas).toEqual([
      expect.objectContaining({ state: 'active', deployment: null, digest: body['digest'], problem: null }),
    ]);
  });

  it('activates a bundle that compiles and passes its tests, and records its digest with each decision', async () => {
    const bundle = testBundle('First', { commit: 'abc123' });
    const { status, body } = await api.deploy(bundle);
    expect([status, body.deployment.number, body.deployment['digest']]).toEqual([201, 1, bundle.policy.digest]);
    expect(body.deployment['source']).toEqual({ commit: 'abc123', clean: true });
    expect(body.replicas).toEqual([
      expect.objectContaining({ state: 'active', deployment: 1, digest: bundle.policy.digest, tests_passed: 1 }),
    ]);
    expect(await judged(current(), 'hello')).toEqual({ status: 200, digest: bundle.policy.digest });
    const ready = (await (await fetch(`${current().url}/readyz`)).json()) as { deployed: unknown };
    expect(ready.deployed).toEqual([
      {
        environment: 'production',
        digest: bundle.policy.digest,
        version: bundle.policy.digest.slice(0, 12),
        accounts: 1,
      },
    ]);
    const metrics = await (await fetch(`${current().url}/metrics`)).text();
    expect(metrics).toContain(
      `weir_policy_active{environment="production",source="deployment",digest="${bundle.policy.digest}"} 1`,
    );
  });

  it('refuses a stale plan and changes nothing', async () => {
    const { base } = (await api.active()).body;
    expect((await api.deploy(testBundle('Second'))).status).toBe(201);
    const late = await api.call('POST', '/deployments', { bundle: testBundle('Third'), base });
    expect([late.status, late.body.error.type]).toEqual([409, 'stale_plan']);
    const { base: now } = (await api.active()).body;
    expect(now).toEqual({ number: base.number + 1, digest: testBundle('Second').policy.digest });
    const wrong = await api.call('POST', '/deployments', {
      bundle: testBundle('Third'),
      base: { ...now, digest: base.digest },
    });
    expect([wrong.status, wrong.body.error.details]).toEqual([
      409,
      [
        { path: 'base.number', message: `is ${now.number} now` },
        { path: 'base.digest', message: `is ${now.digest} now` },
      ],
    ]);
  });

  it('accepts exactly one of many concurrent deployments on the same base', async () => {
    const { base } = (await api.active()).body;
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        api.call('POST', '/deployments', { bundle: testBundle(`Racer ${index}`), base }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(7).fill(409)]);
    expect(await numberNow()).toBe(base.number + 1);
  });

  it.each([
    [
      'does not compile',
      () => ({
        ...testBundle('x'),
        files: [{ path: 'production/policy.yaml', text: 'apiVersion: weir/v1\nkind: Policy\n' }],
      }),
      'files',
    ],
    [
      'fails its own tests',
      () => {
        const { path, text } = policyFile('Leaky');
        return testBundle('x', { files: [{ path, text: text.replace('any_of: [SSN]', 'any_of: [TOKEN]') }] });
      },
      'tests',
    ],
    ['has no test', () => testBundle('x', { tests: [] }), 'tests'],
    [
      'has an invalid test',
      () =>
        testBundle('x', { tests: [{ ...SSN_TEST, text: SSN_TEST.text.replace('words.block-ssn', 'words.blok-ssn') }] }),
      'tests',
    ],
    [
      'has another digest than its files compile to',
      () => {
        const bundle = testBundle('x');
        return { ...bundle, policy: { ...bundle.policy, digest: 'a'.repeat(64) } };
      },
      'bundle.policy.digest',
    ],
    [
      'requires an unknown detector',
      () => ({ ...testBundle('x'), requires: [{ plugin: 'telepathy', version: '1.0.0', revision: 1 }] }),
      'bundle.requires[0]',
    ],
    [
      'was built with another revision of a detector',
      () => ({ ...testBundle('x'), requires: [{ plugin: 'test-words', version: '1.0.0', revision: 4 }] }),
      'bundle.requires[0]',
    ],
    ['is for another environment', () => testBundle('x', { environment: 'staging' }), 'bundle.environment'],
    ['has an unknown key', () => ({ ...testBundle('x'), extra: 1 }), 'bundle.extra'],
    [
      'has its files in another order, so that it could not be read from the history again',
      () => {
        const notes = { path: 'shared/notes.yaml', text: '# nothing\n' };
        const bundle = testBundle('x', { files: [policyFile('x'), notes] });
        return { ...bundle, files: bundle.files.toReversed() };
      },
      'bundle.files',
    ],
    [
      'has a path outside its folder',
      () => ({ ...testBundle('x'), tests: [{ path: '../x', text: '' }] }),
      'bundle.tests[0].path',
    ],
  ])('refuses a bundle that %s, and keeps the active one', async (_what, make, path) => {
    const before = (await api.active()).body;
    const { status, body } = await api.deploy(make() as ReturnType<typeof testBundle>);
    expect([status, body.error.type]).toEqual([422, 'invalid_request']);
    expect(body.error.details[0]?.path).toBe(path);
    const after = (await api.active()).body;
    expect([after.base, after.replicas[0]?.state]).toEqual([before.base, 'active']);
    expect((await judged(current(), 'ssn-7')).status).toBe(400);
  });

  it('accepts a bundle without tests if the request allows it, and records that there were none', async () => {
    const { status, body } = await api.deploy(testBundle('Untested', { tests: [] }), { untested: true });
    expect([status, body.deployment['untested']]).toEqual([201, true]);
  });

  it('rolls back by adding an entry with a reason to the history', async () => {
    const before = await numberNow();
    const { status, body } = await api.rollback(1, 'Too many refusals');
    expect([status, body.deployment.number]).toEqual([201, before + 1]);
    expect(body.deployment).toMatchObject({ action: 'rollback', restores: 1, because: 'Too many refusals' });
    const first = testBundle('First', { commit: 'abc123' });
    expect((await judged(current(), 'hello')).digest).toBe(first.policy.digest);
    const history = (await api.call('GET', '/deployments')).body.data.map(({ number }) => number);
    expect(history).toEqual(Array.from({ length: before + 1 }, (_, index) => before + 1 - index));
    expect((await api.call('GET', '/deployments/1/bundle')).body).toEqual(JSON.parse(bundleText(first)));
    expect((await api.rollback(99, 'x')).status).toBe(422);
    expect((await api.call('POST', '/rollback', { to: 1, base: (await api.active()).body.base })).status).toBe(422);
  });

  it.each([' ', '\t\n', '\u00a0', '\u200b', '\u3164', '...', 'a\0b'])(
    'refuses %j as a reason for any change',
    async (because) => {
      const before = await numberNow();
      const answers = [
        await api.rollback(1, because),
        await api.change({ changes: [policyFile('x')], because }),
        await api.deploy(testBundle('x'), { because }),
      ];
      for (const { status, body } of answers) expect([status, body.error.details[0]?.path]).toEqual([422, 'because']);
      expect(await numberNow()).toBe(before);
    },
  );

  it('rolls back to the folder with number 0, and permits new deployments afterwards', async () => {
    const { status, body } = await api.rollback(0, 'Start over');
    expect([status, body.deployment['digest']]).toEqual([201, null]);
    const { body: active } = await api.active();
    expect([active['source'], active.base.number]).toEqual(['folder', body.deployment.number]);
    expect((await judged(current(), 'hello')).digest).toBe(active.base.digest);
    expect((await api.deploy(testBundle('Again'))).status).toBe(201);
  });

  it('permits no change or deletion in the history, not even with SQL', async () => {
    const { Database } = await import('../../src/database/index.js');
    const { sql } = current().weir.app.get(Database);
    await expect(sql.query('DELETE FROM policy_deployments')).rejects.toThrow('only grows');
    await expect(sql.query(`UPDATE policy_deployments SET because = 'x'`)).rejects.toThrow('only grows');
    await expect(sql.query('DELETE FROM policy_bundles')).rejects.toThrow();
  });

  it('accepts a change made on the server if failing tests are waived, and records it as an emergency with their names', async () => {
    const { path, text } = policyFile('Again');
    const change = { path, text: text.replace('any_of: [SSN]', 'any_of: [TOKEN]') };
    const refused = await api.change({ changes: [change], because: 'Orders are stuck' });
    expect([refused.status, refused.body.error.details[0]?.path]).toEqual([422, 'tests']);
    const { status, body } = await api.change({
      changes: [change],
      because: 'Orders are stuck',
      waive_failing_tests: true,
    });
    expect(status).toBe(201);
    expect(body.deployment).toMatchObject({
      action: 'emergency',
      emergency: true,
      because: 'Orders are stuck',
      changed_files: [path],
      waived_tests: ['tests/ssn.test.yaml#number-words-stay-inside@production'],
      source: { clean: false },
    });
    expect((await judged(current(), 'ssn-7')).status).toBe(200);
    expect((await api.change({ changes: [{ path: 'nowhere.yaml', text: null }], because: 'x' })).status).toBe(422);
  });

  it('stores no further bundle of an account that has stored as many bytes in a day as it may', async () => {
    const { sql } = current().weir.app.get(Database);
    const [stored] = await sql.query<{ account: string }>('SELECT account_id::text AS account FROM policy_bundles');
    const history = new DeploymentHistory(sql, new AdminAudit(sql), () => new Date(), 10);
    const newest = await history.get(stored?.account ?? '', 'production');
    if (newest === null) throw new Error('an earlier test has deployed a policy');
    const bundle = testBundle('One too many');
    const next = { ...newest, base: { number: newest.number, digest: newest.policyDigest ?? '' } };
    const appended = history.append(
      { ...next, bundleDigest: bundleDigest(bundle), policyDigest: bundle.policy.digest },
      bundle,
      actorWithoutRequest('operator'),
    );
    await expect(appended).rejects.toMatchObject({ type: 'rate_limit_exceeded' });
    expect(await sql.query('SELECT 1 AS one FROM policy_bundles WHERE digest = $1', [bundleDigest(bundle)])).toEqual(
      [],
    );
  });

  it('refuses a bundle with a failing test without quoting the text of the test', async () => {
    const bundle = testBundle('x', {
      tests: [{ ...SSN_TEST, text: SSN_TEST.text.replace('ssn-7', 'hello-secret').replace('SSN:', 'MAIL:') }],
    });
    const { status, body } = await api.deploy(bundle);
    expect(status).toBe(422);
    expect(JSON.stringify(body)).not.toContain('hello-secret');
    expect(current().logs.join('')).not.toContain('hello-secret');
  });
});

describe('Who may deploy', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  }, 60_000);
  afterAll(() => app.close());

  async function token(scopes: readonly string[], environment: string | null): Promise<string> {
    const { Database } = await import('../../src/database/index.js');
    const { newCredential } = await import('../../src/access/credential.js');
    const made = newCredential('wt_live_');
    const { sql } = app.weir.app.get(Database);
    await sql.query(
      `INSERT INTO management_tokens (account_id, id, token_id, name, scopes, secret_sha256, created_at, environment)
       SELECT id, gen_random_uuid(), $1, 'test', string_to_array($2, ','), decode($3, 'hex'), now(), $4 FROM accounts`,
      [made.id, scopes.join(','), made.sha256.toString('hex'), environment],
    );
    return made.text;
  }

  it('depends on the scopes of the token, and on the environment to which it is bound', async () => {
    const reader = new PolicyApi(app, 'production', await token(['policy:read'], null));
    expect((await reader.active()).status).toBe(200);
    expect((await reader.deploy(testBundle('x'))).status).toBe(403);
    const staging = await token(['policy:read', 'policy:deploy'], 'staging');
    expect((await new PolicyApi(app, 'production', staging).active()).status).toBe(403);
    expect((await new PolicyApi(app, 'staging', staging).active()).status).toBe(200);
    const pipeline = new PolicyApi(app, 'production', await token(['policy:read', 'policy:deploy'], null));
    expect((await pipeline.deploy(testBundle('x'))).status).toBe(201);
    expect((await pipeline.change({ changes: [policyFile('y')], because: 'x' })).status).toBe(403);
    expect((await pipeline.rollback(0, 'x')).status).toBe(403);
    const back = new PolicyApi(app, 'production', await token(['policy:read', 'policy:rollback'], null));
    expect((await back.deploy(testBundle('z'))).status).toBe(403);
    expect((await back.rollback(0, 'x')).status).toBe(201);
    expect((await new PolicyApi(app, 'production', 'wt_live_nobody').active()).status).toBe(401);
  });

  it('is limited to the own account', async () => {
    const { Database } = await import('../../src/database/index.js');
    const { sql } = app.weir.app.get(Database);
    const { PolicyStore } = await import('../../src/policy-store/index.js');
    const store = app.weir.app.get(PolicyStore);
    const [own] = await sql.query<{ id: string }>('SELECT id::text AS id FROM accounts');
    await new PolicyApi(app).deploy(testBundle('Mine'));
    const other = '00000000-0000-4000-8000-000000000001';
    expect(store.active(own!.id, 'production').digest).toBe(testBundle('Mine').policy.digest);
    expect(store.active(other, 'production').digest).toBe(store.folderPolicy('production').active.digest);
  });
});

describe('A service that accepts only signed bundles', () => {
  const trusted = generateKeyPairSync('ed25519');
  const stranger = generateKeyPairSync('ed25519');
  let app: TestApp;
  let api: PolicyApi;
  let account: string;
  beforeAll(async () => {
    const spki = trusted.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
    app = await startTestApp({ env: { WEIR_POLICY_KEYS: `ci=${spki}`, WEIR_POLICY_SIGNATURES: 'required' } });
    api = new PolicyApi(app);
    const answer = await fetch(`${app.url}/v1/account`, {
      headers: { authorization: `Bearer ${app.bootstrap.token}` },
    });
    account = ((await answer.json()) as { account: { id: string } }).account.id;
  }, 60_000);
  afterAll(() => app.close());

  const signed = (title: string, serial: number, more: Partial<SignedFor> = {}) =>
    signBundle(testBundle(title), trusted.privateKey, { account, serial, ...more });
  const token = async (scopes: string[]): Promise<string> => {
    const answer = await fetch(`${app.url}/v1/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.bootstrap.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: scopes.join(), scopes }),
    });
    return ((await answer.json()) as { secret: string }).secret;
  };

  it('refuses bundles without a valid signature, with an unknown key, for another account, in the old format, or changed after signing', async () => {
    const bundle = testBundle('Signed');
    const tampered = { ...signed('Signed', 1), source: { commit: 'other', clean: true } };
    const [signature] = signed('Signed', 1).signatures;
    const renumbered = { ...bundle, signatures: [{ ...signature!, serial: 2 }] };
    const foreign = signed('Signed', 1, { account: '00000000-0000-4000-8000-000000000001' });
    const byStranger = signBundle(bundle, stranger.privateKey, { account, serial: 1 });
    const old = signedBefore(bundle, trusted.privateKey);
    for (const one of [bundle, byStranger, tampered, renumbered, foreign, old]) {
      const { status, body } = await api.deploy(one);
      expect([status, body.error.details[0]?.path]).toEqual([422, 'bundle.signatures']);
    }
    expect((await api.change({ changes: [policyFile('x')], because: 'x' })).body.error.details[0]?.path).toBe(
      'bundle.signatures',
    );
    expect((await api.active()).body.base.number).toBe(0);
  });

  it('accepts a bundle signed with a trusted key, and reports the name of the key and the serial', async () => {
    const both = signBundle(signed('Signed', 5), stranger.privateKey, { account, serial: 99 });
    const { status, body } = await api.deploy(both);
    expect([status, body.deployment['signed_by'], body.deployment['serial']]).toEqual([201, ['ci'], 5]);
    expect((await api.deploy(signed('Signed again', 6))).body.deployment['serial']).toBe(6);
  });

  it('accepts an old bundle only with the scope for rollbacks and a reason; a serial belongs to one bundle', async () => {
    const pipeline = new PolicyApi(app, 'production', await token(['policy:read', 'policy:deploy']));
    for (const one of [signed('Signed', 5), signed('Never deployed', 3), signed('The same number', 6)]) {
      expect((await pipeline.deploy(one, { because: 'x' })).status).toBe(403);
      const unexplained = await api.deploy(one);
      expect([unexplained.status, unexplained.body.error.details[0]?.path]).toEqual([422, 'because']);
    }
    const back = await api.deploy(signed('Signed', 5), { because: 'Number 6 refuses every order' });
    expect([back.status, back.body.deployment['serial']]).toEqual([201, 5]);
    // Neither the newest bundle so far nor a newer one counts as old.
    expect((await pipeline.deploy(signed('Signed again', 6))).status).toBe(201);
    expect((await pipeline.deploy(signed('Newer', 7))).status).toBe(201);
  });

  it('restores a deployed bundle with its signatures, even if it was signed in the old format', async () => {
    const { body } = await api.call('GET', '/deployments');
    const first = body.data.at(-1)!.number;
    expect((await api.rollback(first, 'Back')).body.deployment).toMatchObject({ serial: 5, signed_by: ['ci'] });
    const { sql } = app.weir.app.get(Database);
    const old = signedBefore(testBundle('From before'), trusted.privateKey);
    const digest = bundleDigest(old);
    await sql.query(
      'INSERT INTO policy_bundles (account_id, digest, body, created_at) VALUES ($1::uuid, $2, $3, now())',
      [account, digest, bundleText(old)],
    );
    // As stored by a version without serials: the row has neither a serial nor signatures.
    const { number } = (await api.active()).body.base;
    await sql.query(
      `INSERT INTO policy_deployments (account_id, environment, number, action, bundle_digest, policy_digest, base_number,
         base_digest, restores, because, changed_files, waived_tests, untested, tests_at, signed_by, source_commit,
         source_clean, token_id, created_at)
       SELECT account_id, environment, number + 1, 'deploy', $2, $3, number, policy_digest, NULL, NULL, '{}', '{}', false,
         now(), '{ci}', NULL, false, token_id, now() FROM policy_deployments WHERE number = $1::integer`,
      [number, digest, old.policy.digest],
    );
    await app.weir.app.get(Activator).look();
    expect((await judged(app, 'hello')).digest).toBe(old.policy.digest);
    expect((await api.deploy(signed('After it', 8))).status).toBe(201);
    expect((await api.rollback(number + 1, 'Back again')).body.deployment).toMatchObject({ serial: null });
    expect((await judged(app, 'hello')).digest).toBe(old.policy.digest);
  });

  it('accepts a stored bundle with a new signature', async () => {
    const again = signed('From before', 9);
    expect((await api.deploy(again)).status).toBe(201);
    const { body } = await api.call('GET', '/bundle');
    expect(body['signatures']).toEqual(again.signatures);
  });
});
