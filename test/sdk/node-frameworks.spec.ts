/** The unchanged examples of the guide to frameworks, run in an empty folder with the installed package. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SimulatedProvider } from '../support/simulated-provider.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { examplesOf, expectStrictTypes, installedPackage, PATIENT, run } from './installed-package.js';

/** The replacement for the address in the guide; the policy of the tests masks it. */
const PLANTED = 'mail-4711';
const EXAMPLES = examplesOf('docs/guides/sdk-node-frameworks.md', 'ts').map((example) =>
  example.replaceAll('ada@example.com', PLANTED),
);
const FRAMEWORKS = ['Vercel AI SDK', 'LangChain', 'OpenAI Agents', 'Gemini'];
const PACKAGES = [
  ...['ai', '@ai-sdk/openai', '@ai-sdk/anthropic', '@langchain/core', '@langchain/openai', '@langchain/anthropic'],
  ...['@openai/agents', '@google/genai', 'openai', 'zod', '@types/node'],
];

describe('the guide to frameworks in Node.js', () => {
  let app: TestApp;
  let provider: SimulatedProvider;
  let folder: string;
  beforeAll(async () => {
    provider = await SimulatedProvider.start();
    provider.say('Write to', 'Written.');
    provider.mock.on({ userMessage: 'Clean up', hasToolResult: true }, { content: 'As you say.' });
    provider.mock.on(
      { userMessage: 'Clean up', hasToolResult: false },
      { toolCalls: [{ name: 'run_shell', arguments: '{"command":"ls"}' }] },
    );
    app = await startTestApp();
    folder = await installedPackage(PACKAGES);
    writeFileSync(join(folder, 'patient.mjs'), PATIENT);
  }, 600_000);
  afterAll(async () => {
    await app.close();
    await provider.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The output of an example, and the bodies that the provider received. */
  async function runExample(text: string): Promise<{ printed: string; sent: string[] }> {
    const before = provider.requests.length;
    writeFileSync(join(folder, 'example.mts'), text);
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      ...{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' },
      OPENAI_BASE_URL: `${provider.url}/v1`,
      // The AI SDK expects the version in the base URL, the official client adds it.
      ANTHROPIC_BASE_URL: text.includes('@ai-sdk') ? `${provider.url}/v1` : provider.url,
      GOOGLE_GEMINI_BASE_URL: provider.url,
      WEIR_API_KEY: app.bootstrap.keys.production,
      WEIR_BASE_URL: app.url,
      AI_SDK_LOG_WARNINGS: 'false',
      NODE_NO_WARNINGS: '1',
      NODE_OPTIONS: `--import=${pathToFileURL(join(folder, 'patient.mjs')).href}`,
    };
    const { stdout } = await run(process.execPath, ['example.mts'], { cwd: folder, env });
    return { printed: stdout, sent: provider.requests.slice(before).map(({ body }) => JSON.stringify(body)) };
  }

  it('has three examples for each framework', () => {
    expect(EXAMPLES).toHaveLength(3 * FRAMEWORKS.length);
  });

  const titled = EXAMPLES.map((example, index) => ({
    example,
    title: `${FRAMEWORKS[Math.floor(index / 3)]}, example ${(index % 3) + 1}`,
  }));
  const writing = titled.filter(({ example }) => example.includes(PLANTED));
  const refusable = writing.filter(({ example }) => example.includes('refused by a rule'));
  const cleaning = titled.filter(({ example }) => example.includes('Clean up'));

  it.each(writing)('shows code whose requests are masked: $title', async ({ example }) => {
    const { printed, sent } = await runExample(example);
    expect(printed).toBe(example.includes('run_shell') ? 'Written.\nnot run: run_shell\n' : 'Written.\n');
    expect(sent).toHaveLength(1);
    expect(sent[0]).toContain('[MAIL_1]');
    expect(sent[0]).not.toContain(PLANTED);
  });

  it.each(refusable)('shows code that reports a refusal, and sends nothing: $title', async ({ example }) => {
    const { printed, sent } = await runExample(example.replace('Write to', 'Write ssn-1 to'));
    expect(printed.trim()).toMatch(/^refused by a rule(?:: true)?$/);
    expect(sent).toEqual([]);
  });

  it.each(cleaning)('shows code that does not run a refused tool: $title', async ({ example }) => {
    const { printed, sent } = await runExample(example);
    expect(printed).toBe(example.includes('not run:') ? 'not run: run_shell\n' : 'As you say.\n');
    expect(sent).toHaveLength(example.includes('not run:') ? 1 : 2);
  });

  it.each(cleaning)('shows code that runs an allowed tool: $title', async ({ example }) => {
    provider.mock.on({ userMessage: 'Look', hasToolResult: true }, { content: 'Seen.' });
    provider.mock.on(
      { userMessage: 'Look', hasToolResult: false },
      { toolCalls: [{ name: 'look', arguments: '{"command":"ls"}' }] },
    );
    const { printed } = await runExample(example.replaceAll('run_shell', 'look').replace('Clean up', 'Look'));
    expect(printed).toMatch(/^(?:running ls\nSeen\.|ran ls)\n$/);
  });

  it('has examples that compile under --strict', async () => {
    const files = EXAMPLES.map((example, index) => {
      writeFileSync(join(folder, `example-${index}.mts`), example);
      return `example-${index}.mts`;
    });
    await expectStrictTypes(folder, files);
  }, 600_000);
});
