import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import { newCredential } from '../../src/access/credential.js';
import { restClient } from '../support/rest-client.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const ROOM = 1_048_576;
const LARGE = 120_000;
const SURFACES = [
  ['/v1/events', 'authorization'],
  ['/v1/events:batch', 'authorization'],
  ['/v1/calls/openai/v1/chat/completions', 'authorization'],
  ['/v1/policies/production/deployments', 'authorization'],
  ['/proxy/openai/v1/chat/completions', 'x-service-key'],
] as const;

describe('Large bodies that are uploaded slowly', () => {
  let app: TestApp;
  const clients: ClientRequest[] = [];
  beforeAll(async () => {
    app = await startTestApp({ env: { WEIR_BODY_MEMORY: '1MiB' } });
  });
  afterEach(async () => {
    clients.splice(0).forEach((client) => client.destroy());
    while ((await bytesTaken()) > 0) await new Promise(setImmediate);
  });
  afterAll(() => app.close());

  const bytesTaken = async (): Promise<number> => {
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    return Number(/^weir_body_bytes (.*)$/m.exec(metrics)?.[1]);
  };
  /** Announces a body by its length or as chunked, and sends its first `first` bytes. */
  const begin = (surface: (typeof SURFACES)[number], key: string | undefined, first: number, isAnnounced = true) => {
    const [path, name] = surface;
    const value = name === 'authorization' ? `Bearer ${key}` : key;
    const client = request(`${app.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(isAnnounced ? { 'content-length': LARGE } : { 'transfer-encoding': 'chunked' }),
        ...(value === undefined || key === undefined ? {} : { [name]: value }),
      },
    });
    client.on('error', () => undefined);
    clients.push(client);
    client.write(Buffer.alloc(first, ' '));
    return client;
  };
  const statusOf = async (client: ClientRequest): Promise<number> => {
    const [answer] = (await once(client, 'response')) as [IncomingMessage];
    answer.resume();
    return answer.statusCode!;
  };
  const politeCall = async (): Promise<number> => {
    const { submit } = restClient(() => app);
    const content = 'hello '.repeat(LARGE / 6);
    const { status } = await submit({ type: 'ai.request', request_id: 'polite', payload: { prompt: content } });
    return status;
  };

  it('of callers without a valid key use no memory on any route, and are answered immediately', async () => {
    const madeUp = [undefined, 'made-up', ...Array.from({ length: 5 }, () => newCredential('sk_live_').text)];
    const statuses = await Promise.all(
      SURFACES.flatMap((surface) =>
        madeUp.flatMap((key) => [
          statusOf(begin(surface, key, 1)),
          statusOf(begin(surface, key, 20_000, false)),
          statusOf(begin(surface, key, 20_000)),
        ]),
      ),
    );
    expect(new Set(statuses)).toEqual(new Set([401]));
    expect(await bytesTaken()).toBe(0);
    expect(await politeCall()).toBe(200);
  });

  it('of one key leave memory for other keys', async () => {
    const { development } = app.bootstrap.keys;
    const slow = Array.from({ length: 30 }, (_unused, index) => begin(SURFACES[index % 3]!, development, 1));
    const refused = slow.map(async (client) => statusOf(client));
    while ((await bytesTaken()) < ROOM / 2) await new Promise(setImmediate);
    expect(await Promise.any(refused)).toBe(503);
    expect(await politeCall()).toBe(200);
    expect(await bytesTaken()).toBeGreaterThan(ROOM / 2);
  });

  it('are read only up to a small limit, or not at all, on routes without credentials', async () => {
    const login = request(`${app.url}/auth/login`, { method: 'POST', headers: { 'content-length': LARGE } });
    clients.push(login.on('error', () => undefined));
    login.flushHeaders();
    expect(await statusOf(login)).toBe(413);
    const nowhere = request(`${app.url}/nowhere`, { method: 'POST', headers: { 'content-length': LARGE } });
    clients.push(nowhere.on('error', () => undefined));
    nowhere.flushHeaders();
    expect(await statusOf(nowhere)).toBe(404);
  });
});
