/** The real service is killed or paused while a program uses it: the program has to continue, and to end in time. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { Weir } from '../../sdk/node/src/index.js';
import { CLIENTS, FaultProvider, PROVIDER_KEY, SECRET } from './fault-provider.js';
import { fetchUntil } from './fetch-until.js';
import { countOf, failure, ServiceOfFaults } from './service-of-faults.js';

const PATIENT = { deadlineMs: 60_000 };
const names = Object.keys(CLIENTS) as (keyof typeof CLIENTS)[];

describe('a service that is killed', () => {
  let provider: FaultProvider;
  let service: ServiceOfFaults;
  const toWeir = fetchUntil(afterEach);
  beforeEach(async () => {
    provider = await FaultProvider.start();
    service = await ServiceOfFaults.start(provider.url);
  }, 120_000);
  afterEach(async () => {
    await service.end();
    await provider.close();
  });

  it.each(names)('between verdict and report does not affect answers and streams of %s', async (name) => {
    const connection = new Weir({ ...service.options, ...PATIENT, fetch: toWeir() });
    const { ask, stream } = CLIENTS[name].make(provider.url, connection);
    expect(await countOf(await stream())).toBe(3);
    expect(await connection.flush(60_000)).toBe(true);
    const streamed = await stream();
    provider.meanwhile = () => service.server.kill();
    expect(await ask()).toBeTruthy();
    expect(await countOf(streamed)).toBe(3);
    expect(provider.calls).toBe(3);
    expect(connection.stats().queued + connection.stats().dropped).toBe(2);
    const error = await failure(CLIENTS[name].make(provider.url, service.options).ask());
    expect(error.message).toContain('Weir could not be reached');
    const open = CLIENTS[name].make(provider.url, { ...service.options, failMode: 'open' });
    expect(await open.ask()).toBeTruthy();
    expect(provider.calls).toBe(4);
    expect([SECRET, PROVIDER_KEY, service.key].filter((word) => inspect([error, connection]).includes(word))).toEqual(
      [],
    );
  });

  it.each(names)('during a stream through the proxy ends that stream with an error: %s', async (name) => {
    provider.meanwhile = () => service.server.kill().then(() => new Promise(() => undefined));
    const { stream } = CLIENTS[name].make(provider.url, { ...service.options, via: 'proxy', ...PATIENT });
    const error = await failure(stream().then(countOf));
    expect(provider.calls).toBe(1);
    expect([SECRET, PROVIDER_KEY, service.key].filter((word) => inspect(error).includes(word))).toEqual([]);
  });

  /** A program whose only call gets its answer after Weir is gone. It ends normally or with its own error. */
  const PROGRAM = `
    import OpenAI from 'openai';
    import { weir } from '../sdk/node/src/index.ts';
    const [providerUrl, providerKey, prompt, end] = process.argv.slice(1);
    const bare = new OpenAI({ apiKey: providerKey, baseURL: providerUrl + '/v1', maxRetries: 0 });
    const client = weir(bare, { flushTimeoutMs: 300, deadlineMs: 60_000 });
    const answer = await client.chat.completions.create({ model: 'gpt-4o', messages: [{ role: 'user', content: prompt }] });
    console.log(answer.choices[0].message.content);
    if (end === 'fails') throw new Error('the program fails as well');`;

  it.each([
    ['killed', 'by itself'],
    ['killed', 'fails'],
    ['paused', 'by itself'],
    ['paused', 'fails'],
  ] as const)('or paused does not keep a program from ending (%s, %s)', async (fate, end) => {
    provider.meanwhile = () => (fate === 'killed' ? service.server.kill() : service.server.pause());
    const words = ['--import', './support/register-typescript.mjs', '--input-type=module', '--eval', PROGRAM];
    const program = spawn(process.execPath, [...words, '--', provider.url, PROVIDER_KEY, SECRET, end], {
      // The folder with the clients.
      cwd: 'test',
      env: { PATH: process.env['PATH'], WEIR_API_KEY: service.key, WEIR_BASE_URL: service.server.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = { out: '', err: '' };
    program.stdout.on('data', (part) => (printed.out += String(part)));
    program.stderr.on('data', (part) => (printed.err += String(part)));
    // This test times out if the program hangs.
    const [code] = (await once(program, 'close')) as [number | null];
    expect([printed.out, code]).toEqual(['Hi\n', end === 'fails' ? 1 : 0]);
    expect(printed.err).toContain(
      end === 'fails' ? 'the program fails as well' : 'could not be sent before the process ended',
    );
    expect([SECRET, PROVIDER_KEY, service.key].filter((word) => printed.err.includes(word))).toEqual([]);
    expect(provider.calls).toBe(1);
  });
});
