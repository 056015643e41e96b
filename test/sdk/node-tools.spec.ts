import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { createOpenAI } from '@ai-sdk/openai';
import { tool as langchainTool } from '@langchain/core/tools';
import { generateText, stepCountIs, tool as vercelTool } from 'ai';
import OpenAI from 'openai';
import { z } from 'zod';
import { tool, ToolBlocked, Weir, withWeirContext, type WeirOptions } from '../../sdk/node/src/index.js';
import { freePort } from '../support/server-process.js';
import { SimulatedProvider } from '../support/simulated-provider.js';
import { startTestApp, type TestApp } from '../support/test-app.js';
import { answerStatus, FakeWeir } from './fake-weir.js';

class Unprintable {
  valueOf(): never {
    throw new Error('no value');
  }
  toString(): never {
    throw new Error('no text');
  }
}

class Endless {
  *[Symbol.iterator]() {
    for (;;) yield 1;
  }
}

describe('a guarded tool', () => {
  let app: TestApp;
  let provider: SimulatedProvider;
  const ran: unknown[] = [];
  beforeAll(async () => {
    provider = await SimulatedProvider.start();
    app = await startTestApp();
    const { mock } = provider;
    for (const [prompt, name] of [
      ['look', 'get_weather'],
      ['clean', 'run_shell'],
    ] as const) {
      mock.on({ userMessage: prompt, hasToolResult: true }, { content: 'Done.' });
      mock.on({ userMessage: prompt, hasToolResult: false }, { toolCalls: [{ name, arguments: '{"city":"Bern"}' }] });
    }
  });
  afterAll(async () => {
    await app.close();
    await provider.stop();
  });
  beforeEach(() => void (ran.length = 0));

  const options = (more: WeirOptions = {}): WeirOptions => ({
    apiKey: app.bootstrap.keys.production,
    baseUrl: app.url,
    deadlineMs: 60_000,
    ...more,
  });
  const guarded = (name: string, more: WeirOptions = {}) =>
    tool(
      name,
      (input: { city: string }) => {
        ran.push(input);
        return `sunny in ${input.city}`;
      },
      options(more),
    );

  it('runs when no rule refuses it', async () => {
    const connection = new Weir(options());
    const run = tool('get_weather', ({ city }: { city: string }, days: number) => `${city} ${days}`, connection);
    const answer: string = await run({ city: 'Bern' }, 3);
    expect(answer).toBe('Bern 3');
    expect(connection.stats()).toMatchObject({ asked: 1, allowed: 1 });
  });

  it('does not run when a rule blocks it, and reports the reason', async () => {
    const error = await guarded('run_shell')({ city: 'Bern' }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ToolBlocked);
    expect(error).toMatchObject({
      code: 'tool_use_blocked',
      tool: 'run_shell',
      violations: [{ rule: 'tool.block-shell' }],
    });
    expect((error as ToolBlocked).eventId).toBeTruthy();
    expect(ran).toEqual([]);
  });

  it.each([
    ['no argument', undefined],
    ['a text', '{"city":"Bern"}'],
    ['a number', 7],
    ['a list', ['a']],
  ])('is judged with %s', async (_, first) => {
    const run = tool('get_weather', (input: unknown) => void ran.push(input), options());
    await run(first);
    expect(ran).toEqual([first]);
  });

  it.each<readonly [string, unknown, unknown]>([
    ['a map', { input: new Map([['command', 'ls']]) }, { input: { command: 'ls' } }],
    ['a map as its only argument', new Map([['command', 'ls']]), { command: 'ls' }],
    ['a set', { hosts: new Set(['a', 'b']) }, { hosts: ['a', 'b'] }],
    ['a set as its only argument', new Set(['a']), { value: ['a'] }],
    [
      'the fields of a form',
      { form: new URLSearchParams('to=a&to=b') },
      {
        form: [
          ['to', 'a'],
          ['to', 'b'],
        ],
      },
    ],
    ['a list of lists', { rows: new Set([['a', 1, 2]]) }, { rows: [['a', 1, 2]] }],
    ['bytes', { body: new TextEncoder().encode('mail-1') }, { body: 'mail-1' }],
    ['a buffer', { body: Buffer.from('mail-1') }, { body: 'mail-1' }],
    ['a view of bytes', { body: new DataView(new TextEncoder().encode('mail-1').buffer) }, { body: 'mail-1' }],
    [
      'numbers',
      { all: new Float64Array([0.5, -2]), ids: new Uint32Array([70_000]) },
      { all: [0.5, -2], ids: [70_000] },
    ],
    ['long numbers', { ids: new BigInt64Array([-(2n ** 60n)]) }, { ids: ['-1152921504606846976'] }],
    ['numbers as its only argument', new Uint16Array([7, 8]), { value: [7, 8] }],
    ['an error', { cause: new Error('mail-1') }, { cause: { message: 'Error: mail-1' } }],
    [
      'an error with members',
      Object.assign(new TypeError('mail-1'), { code: 'E' }),
      { code: 'E', message: 'TypeError: mail-1' },
    ],
    [
      'an error whose text fails',
      Object.assign(new Error('x'), { toString: null, code: 'E' }),
      { toString: null, code: 'E' },
    ],
    [
      'a map with members',
      Object.assign(new Map([['command', 'ls']]), { items: 1, path: 'mail-1' }),
      { items: [1, { command: 'ls' }], path: 'mail-1' },
    ],
    ['headers', { headers: new Headers({ to: 'mail-1' }) }, { headers: { to: 'mail-1' } }],
    ['a function', () => 'ls', {}],
    ['a symbol', Symbol('ls'), {}],
    ['an object without a primitive value', { own: new Unprintable() }, { own: {} }],
    ['items without an end, which it does not read', { items: new Endless() }, { items: {} }],
    ['a text object', { text: new String('') }, { text: '' }],
    ['nothing in an object', { empty: {}, none: Object.create(null) as object }, { empty: {}, none: {} }],
    ['the items of an iterator, which the tool reads', { items: [1].values() }, { items: {} }],
  ])('has the content judged of %s', async (_, first, seen) => {
    const fake = await FakeWeir.start();
    try {
      fake.answer(answerStatus(200, { event_id: 'event-1' }));
      const run = tool('get_weather', (input: unknown) => void ran.push(input), options({ baseUrl: fake.url }));
      await run(first);
      const { payload } = JSON.parse(String(fake.asked[0]?.body)) as { payload: { arguments: unknown } };
      expect(payload.arguments).toEqual(seen);
      expect(ran[0]).toBe(first);
    } finally {
      await fake.close();
    }
  });

  it('does not run while Weir is unreachable, unless its fail mode is open', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const warnings: string[] = [];
    const onWarning = (message: string): void => void warnings.push(message);
    await expect(guarded('get_weather', { baseUrl })({ city: 'Bern' })).rejects.toMatchObject({
      code: 'guardrail_unavailable',
    });
    expect(ran).toEqual([]);
    expect(await guarded('get_weather', { baseUrl, failMode: 'open', onWarning })({ city: 'Bern' })).toBe(
      'sunny in Bern',
    );
    expect(warnings.join()).toContain('tools run without being judged');
  });

  describe.each(['closed', 'open'] as const)('whatever happens to Weir (fail mode %s)', (failMode) => {
    it('does not run with arguments that cannot be serialized', async () => {
      const endless: { city: string; self?: unknown } = { city: 'Bern' };
      endless.self = endless;
      const error = await guarded('get_weather', { failMode })(endless).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ToolBlocked);
      expect((error as ToolBlocked).code).toBe('unreadable_body');
      expect(ran).toEqual([]);
    });

    it.each([
      [413, 'payload_too_large'],
      [414, 'invalid_request'],
      [431, 'invalid_request'],
    ])('does not run with arguments that are too large for a server in front of Weir (%i)', async (status, code) => {
      const fake = await FakeWeir.start();
      try {
        fake.answer(answerStatus(status, '<html>'));
        const run = guarded('get_weather', { failMode, baseUrl: fake.url });
        await expect(run({ city: 'Bern' })).rejects.toMatchObject({ name: 'ToolBlocked', code });
        expect([fake.asked.length, ran]).toEqual([1, []]);
      } finally {
        await fake.close();
      }
    });
  });

  it('has the context around its call stored in the event', async () => {
    const connection = new Weir(options({ metadata: { team: 'a', kept: true } }));
    const run = tool('get_weather', () => 'sunny', connection);
    await withWeirContext({ metadata: { team: 'b' }, session: 'session-tools', requestId: 'own-1' }, () => run());
    const found = await fetch(`${app.url}/v1/events?session=session-tools`, {
      headers: { authorization: `Bearer ${app.bootstrap.token}` },
    });
    const { data: events } = (await found.json()) as { data: { type: string; metadata: unknown }[] };
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      ...{ type: 'agent.tool_call', request_id: 'own-1' },
      metadata: { team: 'b', kept: true },
    });
  });

  describe.each([
    ['look', 'get_weather', 1],
    ['clean', 'run_shell', 0],
  ] as const)('that a model calls (%s)', (prompt, name, times) => {
    const schema = {
      type: 'object' as const,
      properties: { city: { type: 'string' as const } },
      required: ['city'] as ['city'],
    };

    it('is guarded in the tool runner of OpenAI', async () => {
      const openai = new OpenAI({ apiKey: 'k', baseURL: `${provider.url}/v1` });
      const runner = openai.chat.completions.runTools({
        model: 'gpt-4o',
        messages: [{ role: 'user', content: prompt }],
        tools: [
          {
            type: 'function',
            function: { name, description: 'x', parameters: schema, parse: JSON.parse, function: guarded(name) },
          },
        ],
      });
      await runner.finalContent().catch(() => undefined);
      expect(ran).toHaveLength(times);
    });

    it('is guarded in the tool runner of Anthropic', async () => {
      const anthropic = new Anthropic({ apiKey: 'k', baseURL: provider.url });
      const runner = anthropic.beta.messages.toolRunner({
        model: 'claude-test',
        max_tokens: 9,
        messages: [{ role: 'user', content: prompt }],
        tools: [betaTool({ name, description: 'x', inputSchema: schema, run: guarded(name) })],
      });
      await runner.runUntilDone().catch(() => undefined);
      expect(ran).toHaveLength(times);
    });

    it('is guarded in the Vercel AI SDK', async () => {
      const execute = guarded(name);
      await generateText({
        model: createOpenAI({ apiKey: 'k', baseURL: `${provider.url}/v1` }).chat('gpt-4o'),
        prompt,
        stopWhen: stepCountIs(3),
        tools: { [name]: vercelTool({ description: 'x', inputSchema: z.object({ city: z.string() }), execute }) },
      });
      expect(ran).toHaveLength(times);
    });

    it('is guarded in LangChain', async () => {
      const wrapped = langchainTool(guarded(name), { name, description: 'x', schema: z.object({ city: z.string() }) });
      await wrapped.invoke({ city: 'Bern' }).catch(() => undefined);
      expect(ran).toHaveLength(times);
    });
  });
});
