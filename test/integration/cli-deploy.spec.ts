/** The deployment commands as a user runs them, against a separate service: output, exit code and last line. */
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import type { ZodType } from 'zod';
import { COMMANDS } from '../../cli/commands/index.js';
import { PolicyApi, SSN_TEST } from '../support/deployments.js';
import { runWeir, type WeirRun } from '../support/run-weir.js';
import { startTestApp, TEST_PLUGINS, TEST_POLICIES, type TestApp } from '../support/test-app.js';

const EXCEPTION = `
exceptions:
  - id: EX-1
    rules: [words.block-ssn]
    when: { app.name: hr }
    effect: monitor
    because: Agreed with legal # until spring
    approved_by: dpo@example.com
    ticket: SEC-1
    expires: 2100-01-01T00:00:00Z
`;

describe('weir with a service', () => {
  let app: TestApp;
  let home: string;

  beforeAll(async () => {
    app = await startTestApp();
    const messages = [{ role: 'user', content: 'my ssn-7' }];
    await fetch(`${app.url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.bootstrap.keys.development}`, 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'ai.request', request_id: 'before', event_id: 'before', payload: { messages } }),
    });
    home = mkdtempSync(join(tmpdir(), 'weir-cli-'));
    for (const [path, text] of Object.entries(TEST_POLICIES)) put(`policies/${path}`, text);
    put(`policies/${SSN_TEST.path}`, SSN_TEST.text);
    git('init', '--quiet', '--initial-branch=main');
    commit('first');
  }, 60_000);
  afterAll(async () => {
    await app.close();
    rmSync(home, { recursive: true, force: true });
  });

  function put(path: string, text: string): void {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  function git(...args: string[]): string {
    return execFileSync('git', ['-C', home, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  }
  function commit(message: string): void {
    git('add', 'policies');
    git('-c', 'user.name=Tests', '-c', 'user.email=tests@example.com', 'commit', '--quiet', '-m', message);
  }
  /** Rewrites the policy of production. */
  function edit(change: (text: string) => string): void {
    const path = 'policies/production/policy.yaml';
    put(path, change(readFileSync(join(home, path), 'utf8')));
  }

  async function weir(...argv: string[]): Promise<WeirRun> {
    return runWeir(argv, {
      cwd: home,
      catalog: TEST_PLUGINS,
      env: { WEIR_URL: app.url, WEIR_TOKEN: app.bootstrap.token, HOME: home, PATH: process.env['PATH'] ?? '' },
      nowMs: () => performance.now(),
    });
  }
  /** Runs a command with `--json`, and checks the output against the schema of the command. */
  async function json(...argv: string[]): Promise<Record<string, unknown>> {
    const { stdout } = await weir(...argv, '--json');
    const value = JSON.parse(stdout) as Record<string, unknown>;
    const shape = await shapeOf(argv);
    expect(shape?.safeParse(value).error).toBeUndefined();
    expect(value['schemaVersion']).toBe(1);
    return value;
  }
  async function shapeOf([first, second]: readonly string[]): Promise<ZodType | undefined> {
    for (const entry of COMMANDS) {
      if ('commands' in entry) {
        if (entry.name !== first) continue;
        return (await entry.commands.find(({ usage }) => usage.split(' ')[0] === second)?.load())?.output;
      }
      if (entry.usage.split(' ')[0] === first) return (await entry.load()).output;
    }
    return undefined;
  }

  /** Replaces values that differ between runs with names; digests are named in order of appearance. */
  function plain(text: string): string {
    const seen = new Map<string, string>();
    const name = (digest: string): string => {
      const key = digest.slice(0, 12);
      if (!seen.has(key)) seen.set(key, `<${'abcdefgh'[seen.size]}>`);
      return seen.get(key)!;
    };
    return text
      .replace(/git [0-9a-f]{12}/g, 'git <commit>')
      .replace(/\b[0-9a-f]{64}\b|\b[0-9a-f]{12}\b/g, name)
      .replace(/\S+:\d+(?= {2}(?:active|pending|failed|lost))/g, '<replica>')
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/by [0-9A-Za-z]{12}/g, 'by <token>')
      .replaceAll(home, '<home>');
  }
  const lastLine = ({ stderr }: WeirRun): string => plain(stderr.trimEnd().split('\n').at(-1) ?? '');
  const endOf = (run: WeirRun): [number, string] => [run.exit, lastLine(run)];

  it('builds the same bytes from the same sources, and names the commit', async () => {
    const run = await weir('build', 'production');
    expect(plain(run.stdout)).toBe('production.bundle.json\npolicy  <a>\nbundle  <b>\n');
    expect(endOf(run)).toEqual([0, 'exit 0: production <a> built from git <commit>']);
    const first = readFileSync(join(home, 'production.bundle.json'), 'utf8');
    const copy = mkdtempSync(join(tmpdir(), 'weir-copy-'));
    try {
      execFileSync('git', ['clone', '--quiet', home, join(copy, 'other-name')], { stdio: 'ignore' });
      const again = await runWeir(['build', 'production', '-o', '-'], {
        cwd: join(copy, 'other-name'),
        catalog: TEST_PLUGINS,
        env: { HOME: copy },
      });
      expect(again.stdout).toBe(first);
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
    expect(await json('build', 'production')).toMatchObject({ file: 'production.bundle.json', tests: 1, files: 3 });
    expect((await weir('build', 'production', '--ref', 'HEAD', '-o', '-')).stdout).toBe(first);
    expect((await weir('build', 'moon')).exit).toBe(2);
    expect((await weir('build', 'production', '--ref', 'no-such')).exit).toBe(2);
  });

  it('signs and verifies bundles', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    put('private.pem', privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
    put('public.pem', publicKey.export({ type: 'spki', format: 'pem' }).toString());
    const unsigned = await weir('verify', 'production.bundle.json', '--key', 'public.pem');
    expect(endOf(unsigned)).toEqual([1, 'exit 1: not signed by public.pem']);
    expect((await weir('sign', 'production.bundle.json', '--key-file', 'private.pem', '-o', 'signed.json')).exit).toBe(
      0,
    );
    expect(lastLine(await weir('sign', 'production.bundle.json'))).toContain('name the private key: --key-file');
    const signed = await weir('verify', 'signed.json', '--key', 'public.pem');
    expect(endOf(signed)).toEqual([0, 'exit 0: the bundle is complete; signed by public.pem']);
    expect(await json('verify', 'signed.json', '--key', 'public.pem')).toMatchObject({ compiles_to_digest: true });
    expect(await json('sign', 'signed.json', '--key', 'private.pem')).toMatchObject({ file: 'signed.json' });
    put('tampered.json', readFileSync(join(home, 'signed.json'), 'utf8').replace('Number words', 'Numbers'));
    const tampered = await weir('verify', 'tampered.json', '--key', 'public.pem');
    expect(endOf(tampered)).toEqual([1, expect.stringContaining('does not match this bundle')]);
    expect((await weir('sign', 'signed.json', '--key', 'public.pem')).exit).toBe(2);
    expect((await weir('verify', 'private.pem')).exit).toBe(2);
  });

  it('plans no change for equal policies, and deploys exactly the plan', async () => {
    const plan = await weir('plan', 'production', '-o', 'plan.json', '--exit-code');
    expect(plain(plan.stdout).split('\n').slice(0, 2)).toEqual([
      'Plan    production  policies folder <a> → <a>  git <commit> (clean)',
      '  no rule, exception or setting changes',
    ]);
    expect(plan.stdout).toMatch(/Checks {2}lint ✓.* tests 1\/1 ✓ {3}conditions \d/);
    expect(plan.stdout).toMatch(/Server {2}replicas: 1 active\n$/);
    expect(endOf(plan)).toEqual([
      0,
      'exit 0: no change for production: the policies folder of the server has this policy already',
    ]);
    const deployed = await weir('deploy', 'production', '--plan', 'plan.json', '--yes');
    expect(plain(deployed.stdout)).toBe(
      [
        'Deployed  production #1',
        '  <replica>  active  #1 <a>  1 test passed',
        'to roll back: weir rollback production --to 0 --because "..."',
        '',
      ].join('\n'),
    );
    expect(endOf(deployed)).toEqual([0, 'exit 0: production #1 <a> is in force on 1 of 1 replicas']);
    expect(lastLine(await weir('deploy', 'production', '--plan', 'plan.json', '--yes'))).toMatch(
      /already in force; nothing was deployed$/,
    );
  });

  it('shows changes and what they weaken, and exits with 5 if --exit-code is set', async () => {
    edit((text) =>
      text
        .replace('id: words.flag-token', 'id: words.flag-tokens\n    formerly: [words.flag-token]')
        .replace('severity: critical\n    when: { all: [ { tool.name', 'severity: high\n    when: { all: [ { tool.name')
        .concat(EXCEPTION),
    );
    const plan = await weir('plan', 'production', '-o', 'plan.json', '--exit-code');
    const lines = plain(plan.stdout).split('\n');
    expect(lines.slice(0, 4)).toEqual([
      'Plan    production  #1 <a> → <b>  git <commit> (with uncommitted changes)',
      '  ~ tool.block-shell   severity critical → high',
      '  ~ words.flag-tokens  id words.flag-token → words.flag-tokens',
      expect.stringMatching(/^ {2}\+ EX-1 {15}monitor words.block-ssn, expires in \d+ days {2}WEAKER$/),
    ]);
    expect(lines[4]).toMatch(/^Effect {2}\d+ requests tried.*: [1-9]\d* weaker, 0 stricter, \d+ other$/);
    expect(plan.stdout).toMatch(/WEAKER {3}pre {2}block → allow {2}app\.name=hr {2}words finds SSN/);
    expect(endOf(plan)).toEqual([5, 'exit 5: production <a> → <b>, partly weaker']);
    expect(await json('plan', 'production')).toMatchObject({ kind: 'plan', base: { number: 1 }, emergency: null });
  });

  it('requires a reviewed plan or a confirmation on a terminal', async () => {
    const run = await weir('deploy', 'production', '--yes');
    expect(endOf(run)).toEqual([
      2,
      'exit 2: without a terminal a deployment needs a reviewed plan: write a plan with weir plan -o plan.json, then run weir deploy --plan plan.json --yes',
    ]);
    expect(lastLine(await weir('deploy', 'production'))).toBe(
      'exit 2: a confirmation needs a terminal: write a plan with weir plan -o plan.json, then run weir deploy --plan plan.json --yes',
    );
    put('changed-plan.json', readFileSync(join(home, 'plan.json'), 'utf8').replace('Number words', 'Numbers'));
    const changed = await weir('deploy', 'production', '--plan', 'changed-plan.json', '--yes');
    expect(endOf(changed)).toEqual([
      2,
      'exit 2: changed-plan.json was changed after the plan was made: make a new plan',
    ]);
    expect((await new PolicyApi(app).active()).body.base.number).toBe(1);
  });

  it('asks on a terminal, and accepts only the name of the environment as confirmation', async () => {
    const answering = (answer: string) =>
      runWeir(['deploy', 'production'], {
        cwd: home,
        catalog: TEST_PLUGINS,
        env: { WEIR_URL: app.url, WEIR_TOKEN: app.bootstrap.token, HOME: home, NO_COLOR: '1' },
        nowMs: () => performance.now(),
        terminal: true,
        stdin: Object.assign(Readable.from([`${answer}\n`]), { isTTY: true }),
      });
    const slip = await answering('y');
    expect(endOf(slip)).toEqual([1, 'exit 1: not confirmed; nothing was changed']);
    expect(slip.stderr).toContain('Deploy to production? Type "production": ');
    expect((await new PolicyApi(app).active()).body.base.number).toBe(1);
    const staging = await runWeir(['rollback', 'production', '--to', '0', '--because', 'x'], {
      cwd: home,
      catalog: TEST_PLUGINS,
      env: { WEIR_URL: app.url, WEIR_TOKEN: app.bootstrap.token, HOME: home, NO_COLOR: '1' },
      terminal: true,
      stdin: Object.assign(Readable.from(['staging\n']), { isTTY: true }),
    });
    expect(staging.exit).toBe(1);
  });

  it('exits with 6 for a stale plan, and deploys nothing', async () => {
    const good = readFileSync(join(home, 'policies/production/policy.yaml'), 'utf8');
    edit((text) => `${text}\ndefault_max_tokens: 4321\n`);
    expect((await weir('plan', 'production', '-o', 'late.json')).exit).toBe(0);
    edit(() => good);
    expect((await weir('deploy', 'production', '--plan', 'plan.json', '--yes', '--because', 'For HR')).exit).toBe(0);
    const late = await weir('deploy', 'production', '--plan', 'late.json', '--yes');
    expect(endOf(late)).toEqual([
      6,
      'exit 6: production changed after the plan was made; nothing was deployed: make a new plan',
    ]);
    const again = await weir('deploy', 'production', '--plan', 'plan.json', '--yes');
    expect(again.exit).toBe(0);
    expect(lastLine(again)).toMatch(/^exit 0: production #\d+: this policy is already in force; nothing was deployed$/);
  });

  it('deploys nothing if a test fails, if there are no tests, or if a policy does not compile', async () => {
    const good = readFileSync(join(home, 'policies/production/policy.yaml'), 'utf8');
    edit((text) => text.replace('any_of: [SSN]', 'any_of: [TOKEN]'));
    const failing = await weir('plan', 'production', '-o', 'bad.json');
    expect(endOf(failing)).toEqual([1, 'exit 1: 1 of 1 tests failed: the policy cannot be deployed']);
    expect((await weir('deploy', 'production', '--plan', 'bad.json', '--yes')).exit).toBe(1);
    put('policies/production/policy.yaml', good);
    const uncompilable = await (edit((text) => text.replace('words.types', 'wurds.types')), weir('plan', 'production'));
    expect(endOf(uncompilable)).toEqual([3, 'exit 3: 1 file could not be compiled']);
    expect(uncompilable.stderr).toContain('policies/production/policy.yaml:');
    put('policies/production/policy.yaml', good);
    rmSync(join(home, 'policies', SSN_TEST.path));
    const untested = await weir('plan', 'production');
    expect(endOf(untested)).toEqual([
      7,
      'exit 7: no test was run for production; --allow-untested deploys without tests: the policy cannot be deployed',
    ]);
    put(`policies/${SSN_TEST.path}`, SSN_TEST.text);
    expect((await new PolicyApi(app).active()).body.base.number).toBe(2);
  });

  it('prints the history, a single deployment, and drift', async () => {
    const history = await weir('history', 'production');
    expect(plain(history.stdout).split('\n')).toEqual([
      expect.stringMatching(
        /^#2 {5}<time> {2}<a> {2}\s*deploy {2}git <commit> \(changed\) {2}by first start \(\w{12}\) {2}"For HR"$/,
      ),
      expect.stringMatching(/^#1 {5}<time> {2}<b> {2}\s*deploy {2}git <commit> {2}by first start \(\w{12}\)$/),
      '',
    ]);
    expect((await json('history', 'production', '--limit', '1'))['deployments']).toHaveLength(1);
    expect((await json('history', '--env', 'production'))['deployments']).toHaveLength(2);
    expect(plain((await weir('history')).stdout)).toMatch(/^production {3}#2 .*\nproduction {3}#1 .*\n$/);
    expect(await json('show', '1', '--env', 'production')).toMatchObject({ deployment: { number: 1 } });
    expect(await json('show', 'production', '1', '--files')).toMatchObject({ deployment: { number: 1 } });
    expect(lastLine(await weir('show', 'production'))).toBe('exit 0: production #2 <a>');
    expect(lastLine(await weir('show', 'production', '77'))).toContain('no deployment 77. See: weir history');
    const drift = await weir('drift', 'production');
    expect([drift.exit, plain(drift.stdout)]).toEqual([
      0,
      'production  <a>  no drift\n  <replica>  active  #2 <a>  1 test passed\n',
    ]);
    const main = await weir('drift', 'production', '--ref', 'main');
    expect(endOf(main)).toEqual([5, 'exit 5: drift in production']);
    expect(await json('drift', 'production', '--ref', 'main')).toMatchObject({ sources: { clean: true } });
  });

  it('shows a change made on the server, prints it as a patch, and refuses to overwrite it', async () => {
    const { path, text } = {
      path: 'production/policy.yaml',
      text: readFileSync(join(home, 'policies/production/policy.yaml'), 'utf8'),
    };
    const changed = { path, text: text.replace('title: Number words stay inside', 'title: Changed at night') };
    expect((await new PolicyApi(app).change({ changes: [changed], because: 'Night shift' })).status).toBe(201);
    const drift = await weir('drift', 'production');
    expect(drift.exit).toBe(5);
    expect(plain(drift.stdout)).toContain('  #3 was changed on the server: Night shift\n');
    edit((now) => now.replace('No shell', 'No shell at all'));
    expect((await weir('plan', 'production', '-o', 'plan.json')).stdout).toContain(
      'Drift   #3 was changed on the server',
    );
    const comment = await weir('plan', 'production', '--format', 'markdown', '--all');
    expect(comment.stdout).toMatch(/^## Plan production #3 [^\n]+\n\n```\n {2}[^]+\n```\n$/);
    expect(comment.stdout).toContain('\nDrift   #3 was changed on the server');
    const refused = await weir('deploy', 'production', '--plan', 'plan.json', '--yes');
    expect(endOf(refused)).toEqual([5, expect.stringContaining('#3 was changed on the server')]);
    const patch = await weir('pull', 'production', '--as-patch');
    expect(patch.stdout).toContain('--- a/policies/production/policy.yaml\n+++ b/policies/production/policy.yaml\n');
    put('policies/production/policy.yaml', text);
    put('night.patch', (await weir('pull', 'production', '--as-patch')).stdout);
    git('apply', 'night.patch');
    expect(readFileSync(join(home, 'policies/production/policy.yaml'), 'utf8')).toBe(changed.text);
    expect((await weir('drift', 'production')).exit).toBe(0);
    expect(await json('pull', 'production')).toMatchObject({ files: [], patch: '' });
  });

  it('rolls back without local files, and shows what the rollback weakens', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'weir-empty-'));
    try {
      const run = await runWeir(['rollback', 'production', '--to', '1', '--because', 'Pager', '--yes'], {
        cwd: empty,
        catalog: TEST_PLUGINS,
        // No git on the path, no home, no policies.
        env: { WEIR_URL: app.url, WEIR_TOKEN: app.bootstrap.token, HOME: empty, PATH: '' },
        nowMs: () => performance.now(),
      });
      expect(endOf(run)).toEqual([0, 'exit 0: production #4 <a> is in force on 1 of 1 replicas']);
      expect(plain(run.stderr)).toContain('Rollback  production  #3 <a> → as #1\n');
      expect(run.stderr).toMatch(/ {2}- EX-1 {2,}monitor words.block-ssn/);
    } finally {
      rmSync(empty, { recursive: true, force: true });
    }
    const weaker = await weir('rollback', 'production', '--to', '3', '--because', 'Was right', '--yes');
    expect(weaker.stderr).toMatch(/\+ EX-1 .*WEAKER/);
    expect(await json('rollback', 'production', '--because', 'Default', '--yes')).toMatchObject({
      deployment: { number: 6, restores: 4 },
    });
    expect((await weir('rollback', 'production', '--because', 'x')).exit).toBe(2);
    expect((await weir('rollback', 'production', '--yes')).exit).toBe(2);
    expect((await weir('rollback', 'production', '--to', '99', '--because', 'x', '--yes')).exit).toBe(2);
  });

  it('promotes the active policy of another environment from its deployed sources', async () => {
    commit('second');
    expect((await weir('promote', 'staging', 'production', '--yes')).exit).toBe(7);
    expect((await weir('plan', 'staging', '-o', 's.json', '--allow-untested')).exit).toBe(0);
    expect((await weir('deploy', 'staging', '--plan', 's.json', '--yes')).exit).toBe(0);
    const young = await weir('promote', 'staging', 'production', '--min-age', '7d', '-o', 'p.json');
    expect(endOf(young)).toEqual([1, 'exit 1: staging #1 has been in force for 0 min, less than 7d']);
    const untried = await weir('promote', 'staging', 'production', '--min-decisions', '1', '-o', 'p.json');
    expect(endOf(untried)).toEqual([1, 'exit 1: staging #1 has made 0 decisions, fewer than 1']);
    for (const content of ['hello', 'ssn-1']) {
      await fetch(`${app.url}/v1/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app.bootstrap.keys.staging}`, 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'ai.request', request_id: content, payload: { prompt: content } }),
      });
    }
    const tried = await weir('promote', 'staging', 'production', '--min-decisions', '2', '-o', 'p.json');
    expect(tried.exit).toBe(0);
    expect(tried.stderr).toContain('2 decisions, 1 hit, 1 of them enforced');
    const planned = await weir('promote', 'staging', 'production', '-o', 'p.json');
    expect(endOf(planned)).toEqual([0, 'exit 0: the plan is in p.json; nothing was deployed']);
    expect((await weir('deploy', 'production', '--plan', 'p.json', '--yes')).exit).toBe(0);
    const { body } = await new PolicyApi(app).active();
    expect(body.deployment).toMatchObject({ action: 'promote', source: { clean: true } });
    expect(await json('promote', 'staging', 'production', '-o', 'p.json')).toMatchObject({ deployed: false });
  });

  it('lists, previews and renews exceptions', async () => {
    const listed = await weir('exceptions', 'list');
    expect(listed.stdout).toMatch(/^EX-1 {2}production {2}monitor words.block-ssn {2}expires in \d+ days \(2100-/);
    expect(listed.stdout).toContain('policies/production/policy.yaml:');
    expect((await json('exceptions', 'list', 'production'))['exceptions']).toHaveLength(1);
    expect((await json('exceptions', 'list', 'production', '--deployed'))['exceptions']).toHaveLength(1);
    const preview = await weir('exceptions', 'preview', 'EX-1', '--at', '2100-02-01');
    expect(preview.stdout).toContain(
      'at 2100-02-01T00:00:00.000Z the exception has expired; its end changes these decisions:',
    );
    expect(preview.stdout).toMatch(/stricter pre {2}allow → block {2}app\.name=hr/);
    await json('exceptions', 'preview', 'EX-1');
    expect((await weir('exceptions', 'preview', 'EX-2')).exit).toBe(2);
    const why = ['--because', 'Still: agreed', '--approved-by', 'dpo@example.com'];
    const renewed = await weir('exceptions', 'renew', 'EX-1', '--until', '2101-01-01T00:00:00Z', ...why);
    expect(renewed.exit).toBe(0);
    const text = readFileSync(join(home, 'policies/production/policy.yaml'), 'utf8');
    expect(text).toContain('because: "Still: agreed" # until spring\n');
    expect(text).toContain('expires: "2101-01-01T00:00:00Z"\n');
    await json('exceptions', 'renew', 'EX-1', '--until', '2102-01-01T00:00:00Z', ...why);
    put('policies/weir.config.yaml', 'apiVersion: weir/v1\nkind: Project\nmax_exception: 90d\n');
    const tooLong = await weir('exceptions', 'renew', 'EX-1', '--until', '2103-01-01T00:00:00Z', ...why);
    expect(endOf(tooLong)).toEqual([
      1,
      expect.stringMatching(/^exit 1: max_exception in weir.config.yaml allows in (?:89|90) days at most$/),
    ]);
    expect((await weir('exceptions', 'renew', 'EX-1', '--until', 'tomorrow', ...why)).exit).toBe(2);
  });

  it('uses the policies folder of the server to explain a call from before the first deployment', async () => {
    const path = 'policies/development/policy.yaml';
    put(path, readFileSync(join(home, path), 'utf8').replace('any_of: [SSN]', 'any_of: [TOKEN]'));
    expect((await weir('plan', 'development', '-o', 'd.json', '--allow-untested')).exit).toBe(0);
    expect(lastLine(await weir('deploy', 'staging', '--plan', 'd.json', '--yes'))).toContain('not for staging');
    expect((await weir('deploy', '--plan', 'd.json', '--yes')).exit).toBe(0);
    const empty = mkdtempSync(join(tmpdir(), 'weir-empty-'));
    try {
      const env = { WEIR_URL: app.url, WEIR_TOKEN: app.bootstrap.token, HOME: empty };
      const explained = await runWeir(['explain', 'before'], { cwd: empty, catalog: TEST_PLUGINS, env });
      expect(lastLine(explained)).toContain("of the server's policies folder");
      expect([explained.exit, explained.stdout]).toEqual([0, expect.stringContaining('words.block-ssn')]);
    } finally {
      rmSync(empty, { recursive: true, force: true });
    }
  });

  it('exits with 4 if no server can be reached, or if the token is invalid', async () => {
    const env = { HOME: home, WEIR_TOKEN: app.bootstrap.token, WEIR_URL: 'http://127.0.0.1:9' };
    const away = await runWeir(['history', 'production'], { cwd: home, catalog: TEST_PLUGINS, env });
    expect(endOf(away)).toEqual([4, expect.stringMatching(/^exit 4: http:\/\/127\.0\.0\.1:9 /)]);
    const other = { ...env, WEIR_URL: app.url, WEIR_TOKEN: 'wt_live_nobody' };
    const stranger = await runWeir(['history', 'production'], { cwd: home, catalog: TEST_PLUGINS, env: other });
    expect(stranger.exit).toBe(4);
  });
});
