import { connect, type Socket } from 'node:net';
import { Agent, request } from 'undici';
import { longText } from './long-text.js';
import { smallCall, type WeirService } from './weir-service.js';

/** An attack that the owner of a key, and possibly of a management token, can run against a service. */
export interface Attack {
  readonly name: string;
  /** Runs until the signal aborts it. */
  run(target: Target, signal: AbortSignal): Promise<void>;
}

export interface Target {
  readonly weir: WeirService;
  readonly key: string;
}

/** Concurrent requests of each attack that sends requests. */
const AT_ONCE = 8;
const CONNECTIONS = 500;
const MB = 1_000_000;
const agent = new Agent({ connections: 64, headersTimeout: 120_000, bodyTimeout: 120_000 });
let made = 0;

async function send(url: string, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) {
  await request(url, { dispatcher: agent, method: 'POST', headers, body, signal })
    .then((answer) => answer.body.dump({ limit: 64 * MB }))
    .catch(() => undefined);
}

/** Sends AT_ONCE requests concurrently until the signal aborts, each with a new body. */
async function keepSending({ weir, key }: Target, signal: AbortSignal, bodyOf: (count: number) => string) {
  const call = smallCall(weir.url, key);
  const one = async (): Promise<void> => {
    while (!signal.aborted) {
      await send(call.url, call.headers, bodyOf(made++), signal);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

function chat(content: unknown): string {
  return JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content }] });
}

/** Texts on which many engines are slow, such as those of regular expressions. */
const PUMPS: readonly ((count: number) => string)[] = [
  (count) => '\uFDFA'.repeat(MB) + count,
  (count) => `${'a'.repeat(MB)}!${count}`,
  (count) => `${'a@'.repeat(MB / 2)}${count}`,
  (count) => `${'1 '.repeat(MB / 2)}${count}`,
  (count) => `${'a.b-'.repeat(MB / 4)}@${count}`,
  (count) => `${'e\u0301\u0323\u0330'.repeat(MB / 4)}${count}`,
  (count) => `${'ab1\n'.repeat(MB / 4)}${count}`,
  (count) => `${'%25'.repeat(MB / 3)}${count}`,
  (count) => `${'QUJD'.repeat(MB / 4)}${count}`,
];

const giantBodies: Attack = {
  name: 'giant bodies',
  run: (target, signal) =>
    keepSending(target, signal, (count) => chat(longText((1 + (count % 3) * 10) * MB, count, count % 2 === 0))),
};

const pumpTexts: Attack = {
  name: 'pump texts',
  run: (target, signal) => keepSending(target, signal, (count) => chat(PUMPS[count % PUMPS.length]!(count))),
};

const deepJson: Attack = {
  name: 'deep and wide JSON',
  run: (target, signal) =>
    keepSending(target, signal, (count) => {
      const kinds = [
        () => `{"model":"m","messages":[],"x":${'['.repeat(60_000)}${']'.repeat(60_000)}}`,
        () => chat(Array.from({ length: 40_000 }, (_unused, index) => ({ type: 'text', text: `a${index}@b.example` }))),
        () =>
          JSON.stringify({
            model: 'm',
            messages: [],
            ...Object.fromEntries(Array.from({ length: 45_000 }, (_u, i) => [`k${i}`, i])),
          }),
        () => chat(JSON.stringify(JSON.stringify(Array.from({ length: 40_000 }, (_unused, index) => `${index}`)))),
      ];
      return kinds[count % kinds.length]!();
    }),
};

const policyUploads: Attack = {
  name: 'policy uploads',
  run: async ({ weir }, signal) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${weir.token}` };
    while (!signal.aborted) {
      const active = await fetch(`${weir.url}/v1/policies/production`, { headers }).catch(() => undefined);
      const { base } = ((await active?.json().catch(() => undefined)) ?? { base: {} }) as { base: object };
      const keys = Array.from({ length: 16_000 }, (_unused, index) => `k${index}: ${made++}`).join('\n');
      const change = { path: 'production/policy.yaml', text: keys };
      const body = JSON.stringify({ base, because: 'load', changes: [change] });
      await send(`${weir.url}/v1/policies/production/emergency`, headers, body, signal);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  },
};

/** Keeps many connections open that send little. @param each called ten times a second for every connection */
async function heldConnections(
  { weir }: Target,
  signal: AbortSignal,
  begin: (socket: Socket) => void,
  each: (socket: Socket) => void,
): Promise<void> {
  const { hostname, port } = new URL(weir.url);
  const sockets = new Set<Socket>();
  while (!signal.aborted) {
    while (sockets.size < CONNECTIONS) {
      const socket = connect(Number(port), hostname);
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      socket.resume().on('connect', () => begin(socket));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    for (const socket of sockets) if (socket.writable) each(socket);
  }
  for (const socket of sockets) socket.destroy();
}

const manyConnections: Attack = {
  name: 'many connections',
  run: (target, signal) =>
    heldConnections(
      target,
      signal,
      () => undefined,
      (socket) => {
        if (Math.random() < 0.1) socket.write('GET /healthz HTTP/1.1\r\nhost: weir\r\n\r\n');
      },
    ),
};

const slowBodies: Attack = {
  name: 'slow bodies',
  run: (target, signal) =>
    heldConnections(
      target,
      signal,
      (socket) =>
        socket.write(
          `POST /proxy/openai/v1/chat/completions HTTP/1.1\r\nhost: weir\r\ncontent-type: application/json\r\n` +
            `x-service-key: ${target.key}\r\ncontent-length: ${10 * MB}\r\n\r\n{"model":"m","messages":[`,
        ),
      (socket) => socket.write(' '),
    ),
};

const SINGLE: readonly Attack[] = [giantBodies, pumpTexts, deepJson, policyUploads, manyConnections, slowBodies];

export const ATTACKS: readonly Attack[] = [
  ...SINGLE,
  {
    name: 'all at once',
    run: async (target, signal) => {
      await Promise.all(SINGLE.map((attack) => attack.run(target, signal)));
    },
  },
];
