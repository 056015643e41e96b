import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SimulatedProvider } from '../support/simulated-provider.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { examplesOf, expectStrictTypes, installedPackage, PATIENT, run } from './installed-package.js';

const README = examplesOf('sdk/node/README.md', 'js')[0]!;
const GUIDE = examplesOf('docs/guides/sdk-node.md', 'ts');

describe('the package weir-sdk, installed into an empty folder', () => {
  let app: TestApp;
  let provider: SimulatedProvider;
  let folder: string;
  beforeAll(async () => {
    provider = await SimulatedProvider.start();
    provider.say('hello', 'Hi');
    app = await startTestApp();
    folder = await installedPackage(['openai', 'ai', '@ai-sdk/openai', '@types/node']);
    writeFileSync(join(folder, 'patient.mjs'), PATIENT);
  }, 600_000);
  afterAll(async () => {
    await app.close();
    await provider.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const environment = (): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: folder,
    OPENAI_API_KEY: 'provider-key',
    OPENAI_BASE_URL: `${provider.url}/v1`,
    WEIR_API_KEY: app.bootstrap.keys.production,
    WEIR_BASE_URL: app.url,
    AI_SDK_LOG_WARNINGS: 'false',
    NODE_NO_WARNINGS: '1',
    NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'patient.mjs')).href}`,
  });
  const node = async (file: string, text: string, ...words: string[]): Promise<string> => {
    writeFileSync(join(folder, file), text);
    return (await run(process.execPath, [file, ...words], { cwd: folder, env: environment() })).stdout;
  };

  it('contains its pages and its licence, and installs nothing else', () => {
    const root = join(folder, 'node_modules/weir-sdk');
    for (const file of ['README.md', 'CHANGELOG.md']) expect(readFileSync(join(root, file), 'utf8')).not.toBe('');
    expect(readFileSync(join(root, 'LICENSE'), 'utf8')).toBe(readFileSync('LICENSE', 'utf8'));
    const { dependencies, peerDependenciesMeta, scripts, version } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    ) as Record<string, unknown>;
    // The package has no install scripts.
    expect([dependencies, Object.keys(scripts as object)]).toEqual([undefined, ['prepack']]);
    // npm refuses this client only if it is installed and too old to be guarded.
    expect(peerDependenciesMeta).toEqual({ '@google/genai': { optional: true } });
    expect(existsSync(join(folder, 'node_modules/@google'))).toBe(false);
    expect(readFileSync('sdk/node/src/version.ts', 'utf8')).toContain(`'${String(version)}'`);
  });

  it('is complete when it is packed in its source folder', async () => {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: 'sdk/node' });
    const [{ files }] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ files: { path: string }[] }];
    expect(files.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        ...['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json'],
        ...['esm', 'cjs'].flatMap((form) => [`dist/${form}/index.js`, `dist/${form}/index.d.ts`]),
      ]),
    );
  }, 600_000);

  it('runs the short snippet of its README', async () => {
    expect(
      README.trim()
        .split('\n')
        .filter((line) => line !== '').length,
    ).toBeLessThanOrEqual(15);
    expect(await node('snippet.mjs', README, 'hello')).toBe('Hi\n');
    expect(await node('snippet.mjs', README, 'my ssn-1')).toContain('words.block-ssn');
  });

  it('runs the snippet as CommonJS', async () => {
    const script = README.replace(/^import (\w+) from ('.*');$/m, 'const { default: $1 } = require($2);').replace(
      /^import (\{.*\}) from ('.*');$/m,
      'const $1 = require($2);',
    );
    expect(script).not.toContain('import ');
    expect(await node('snippet.cjs', `(async () => {\n${script}\n})();\n`, 'hello')).toBe('Hi\n');
  });

  it('is one package in a process that loads it as ES modules and as CommonJS', async () => {
    const library = `const { default: OpenAI } = require('openai');
      const sdk = require('weir-sdk');
      module.exports = { ...sdk, clientOf: (connection) => sdk.weir(new OpenAI(), connection) };`;
    const program = `import library from './library.cjs';
      import { tool, ToolBlocked, Weir, weir, WeirConfigError, weirOf, withWeirContext } from 'weir-sdk';
      class Special extends ToolBlocked {}
      const thrown = (work) => Promise.resolve().then(work).catch((error) => error);
      const connection = new Weir();
      const client = weir(library.clientOf(connection), connection);
      const call = { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] };
      const answer = await withWeirContext({ session: 'both-forms' }, () => client.chat.completions.create(call));
      const answered = await weirOf(answer).answered;
      const blocked = await thrown(() => library.tool('run_shell', () => 'ran', connection)({ command: 'ls' }));
      const wrong = await thrown(() => library.weirFetch({ failMode: 'ajar' }));
      console.log(JSON.stringify({
        copies: library.weir !== weir,
        results: [weirOf(answer).decision, library.weirOf(answer).eventId === weirOf(answer).eventId, answered],
        classes: [blocked instanceof ToolBlocked, wrong instanceof WeirConfigError, connection instanceof library.Weir],
        others: [blocked instanceof Special, wrong instanceof ToolBlocked, new Error() instanceof WeirConfigError],
        stats: connection.stats(),
      }));`;
    writeFileSync(join(folder, 'library.cjs'), library);
    expect(JSON.parse(await node('both-forms.mjs', program))).toMatchObject({
      copies: true,
      results: ['allow', true, []],
      classes: [true, true, true],
      others: [false, false, false],
      stats: { asked: 2, allowed: 1, refused: 1, reported: 1 },
    });
    const found = await fetch(`${app.url}/v1/events?session=both-forms`, {
      headers: { authorization: `Bearer ${app.bootstrap.token}` },
    });
    const { data: events } = (await found.json()) as { data: { type: string }[] };
    expect(events.filter(({ type }) => type === 'ai.request')).toHaveLength(1);
  });

  it('runs the examples of the guide, which compile under --strict', async () => {
    const files = GUIDE.map((_, index) => `example-${index + 1}.mts`);
    const printed: string[] = [];
    for (const [index, file] of files.entries()) printed.push(await node(file, GUIDE[index]!));
    expect(printed).toEqual([
      'Hi\nrefused by words.block-ssn\n',
      'Hi\n1\n',
      'sunny in Bern\nrun_shell: tool_use_blocked\n',
    ]);
    // People also paste the snippet of the README into TypeScript.
    writeFileSync(join(folder, 'readme.mts'), README);
    await expectStrictTypes(folder, [...files, 'readme.mts']);
  }, 600_000);

  it('does not keep the process alive longer than the flush timeout when Weir does not answer', async () => {
    const asleep = `import { Weir, weirFetch } from 'weir-sdk';
      const real = globalThis.fetch;
      const connection = new Weir({
        flushTimeoutMs: 50,
        onWarning: (message) => console.log(message),
        fetch: (url, init) => url.endsWith('/answers') ? new Promise((_, stop) => {
          // Like a silent socket, it keeps the process alive until it is aborted.
          const alive = setInterval(() => {}, 1000);
          init.signal.addEventListener('abort', () => { clearInterval(alive); stop(new Error('silent')); });
        }) : real(url, init),
      });
      const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] });
      const answer = await weirFetch(connection)(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
      await answer.text();
      process.on('exit', () => console.log(JSON.stringify(connection.stats())));`;
    const said = await node('asleep.mjs', asleep);
    expect(said).toContain('could not be sent before the process ended');
    expect(JSON.parse(said.trim().split('\n').at(-1)!)).toMatchObject({ reported: 0, dropped: 1, queued: 0 });
  });
});
