import { seededRandom } from '../support/seeded-random.js';
import { startTestApp, type TestApp } from '../support/test-app.js';

const BODIES = 10_000;
const AT_ONCE = 16;

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

const SAMPLES: Json[] = [
  {
    type: 'ai.request',
    request_id: 'r',
    event_id: 'e',
    environment: 'staging',
    provider: 'openai',
    model: 'gpt-4o',
    metadata: { user: 'u', session_id: 's', nested: { list: [1, 'two', null] } },
    payload: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'mail-1' },
            { type: 'image_url', image_url: { url: 'data:,x' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'search', arguments: '{"q":"ssn-1"}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'token-3' },
      ],
      tools: [{ type: 'function', function: { name: 'search', parameters: { type: 'object' } } }],
      max_tokens: 100,
      monitor_mode: true,
    },
  },
  {
    type: 'ai.response',
    request_id: 'r',
    payload: {
      output: [{ type: 'tool_use', id: 't', name: 'run_shell', input: { cmd: 'ls' } }],
      usage: { prompt_tokens: 5, completion_tokens: 7 },
      cost_usd: 0.00012,
    },
  },
  { type: 'ai.response', request_id: 'r', payload: { output: { choices: [{ message: { content: 'mail-9' } }] } } },
  {
    type: 'ai.error',
    request_id: 'r',
    payload: { error: { type: 'overloaded', message: 'mail-2', status: 529 }, latency_ms: 3 },
  },
  { type: 'agent.tool_call', event_id: 't', payload: { tool: 'run_shell', arguments: '{"cmd":"ls"}' } },
  {
    type: 'agent.tool_call',
    payload: {
      tool: 'send',
      arguments: { to: 'mail-3', body: { deep: ['token-1'] } },
      call_id: 'c',
      session_id: 's',
      result: [1],
    },
  },
];

const ODD: Json[] = [
  null,
  true,
  '',
  0,
  -1,
  1.5,
  1e308,
  -0,
  12345678901234567890,
  [],
  {},
  [[[]]],
  '\u0000',
  '\ud800',
  '\udc00\ud800',
  '\u202e',
  '__proto__',
  "'; DROP TABLE events; --",
  '%s%n${7*7}{{x}}',
  'mail-1 ssn-2 token-3',
  'x'.repeat(5000),
  '{"nested":"{\\"again\\":\\"mail-4\\"}"}',
  { __proto__x: 1, constructor: { prototype: {} } },
  { toString: 'x', hasOwnProperty: 1, length: -1, then: 'x', toJSON: 'y' },
  Array.from({ length: 200 }, (_, index) => index),
];

/** Mutates a body in a few places, as a value or as bytes. */
class Mutator {
  constructor(private readonly random: () => number) {}

  body(index: number): Buffer {
    const value = structuredClone(this.pick(SAMPLES)) as { event_id?: Json };
    // Usually a new id, sometimes one that was used before.
    if (value.event_id !== undefined) value.event_id = `e-${this.random() < 0.1 ? this.below(index + 1) : index}`;
    for (let change = this.below(3); change > 0; change--) this.mutate(value);
    let text = JSON.stringify(value);
    if (index % 7 === 0) text = text.replace('"request_id"', '"__proto__":{"type":"x"},"request_id"');
    if (index % 11 === 0)
      text = text.replace(/\d+/, this.pick(['1e999', '-1e-999', '0.1e+5', '00', '1.', '-', '9'.repeat(400)]));
    if (index % 13 === 0) text = text.replace(/"[^"]*"/, this.pick(['"\\u0000"', '"\\ud800"', '"\\x"', '"\t"', '"']));
    if (index % 17 === 0) text = `${'['.repeat(this.below(300))}${text}`;
    const bytes = Buffer.from(text);
    return index % 4 === 0 ? this.damage(bytes) : bytes;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  /** Descends to a random field, and removes it, copies it under another name, or replaces it by an odd value. */
  private mutate(root: Json): void {
    let at: Json = root;
    for (;;) {
      if (typeof at !== 'object' || at === null) return;
      const keys = Object.keys(at);
      if (keys.length === 0) return;
      const key = this.pick(keys);
      const holder = at as { [key: string]: Json };
      const next: Json = holder[key] ?? null;
      if (typeof next === 'object' && next !== null && this.random() < 0.75) {
        at = next;
        continue;
      }
      this.replace(holder, key);
      return;
    }
  }

  private replace(holder: { [key: string]: Json }, key: string): void {
    switch (this.below(5)) {
      case 0:
        delete holder[key];
        return;
      case 1:
        holder[`${key}${this.pick(['', 's', '\u0000', ' ', '"', '.'])}`] = holder[key] ?? null;
        return;
      default:
        holder[key] = structuredClone(this.pick(ODD));
    }
  }

  private damage(bytes: Buffer): Buffer {
    for (let change = this.below(3); change >= 0; change--) {
      const at = this.below(bytes.length);
      if (this.random() < 0.3) return bytes.subarray(0, at);
      bytes[at] = this.below(256);
    }
    return bytes;
  }
}

describe('Mutated request bodies to a running service', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ env: { WEIR_LOG_LEVEL: 'error' } });
  }, 60_000);
  afterAll(() => (app as TestApp | undefined)?.close());

  it(`never cause a 5xx, over ${BODIES} bodies`, async () => {
    const seed = Number(process.env['WEIR_TEST_SEED']);
    const mutator = new Mutator(seededRandom(seed));
    const bodies = Array.from({ length: BODIES }, (_, index) => ({
      body: mutator.body(index),
      type: mutator.pick([
        'application/json',
        'application/json',
        'application/json',
        'text/plain',
        'application/json; charset=utf-16',
        '',
      ]),
      key: mutator.pick([...Object.values(app.bootstrap.keys), 'nonsense']),
    }));
    const statuses = new Map<number, number>();
    const wrong: string[] = [];
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next++; index < BODIES; index = next++) {
        const { body, type, key } = bodies[index]!;
        const response = await fetch(`${app.url}/v1/events`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, ...(type === '' ? {} : { 'content-type': type }) },
          body: new Uint8Array(body),
        });
        const text = await response.text();
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
        const json = JSON.parse(text) as { error?: { type: string; trace_id: string } };
        const consistent = (response.status === 200) === (json.error === undefined);
        const traced = json.error === undefined || json.error.trace_id === response.headers.get('x-request-id');
        if (response.status >= 500 || !consistent || !traced) {
          wrong.push(`#${index} ${response.status} ${json.error?.type} ${body.toString('base64').slice(0, 400)}`);
        }
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(wrong).toEqual([]);
    // The mutations pass the first checks: all kinds of answers occur.
    for (const status of [200, 400, 401, 422]) expect(statuses.get(status) ?? 0).toBeGreaterThan(20);
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
    expect(app.logs).toEqual([]);
  }, 300_000);
});
