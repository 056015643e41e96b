import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { COMMANDS } from '../../cli/commands/index.js';
import { Database } from '../../src/database/index.js';
import { expectGolden } from '../support/golden.js';
import { appWithUpstream } from '../support/app-with-upstream.js';
import { runWeir } from '../support/run-weir.js';
import { TEST_POLICIES, testPolicy } from '../support/test-app.js';

interface StoredEvent {
  readonly id: string;
  readonly type: string;
  readonly parent_id: string | null;
  readonly decision: string | null;
  readonly reason: string | null;
  readonly cost_nano_usd: string | null;
  readonly price_version: string | null;
  readonly usage: object | null;
  readonly payload: { readonly budget?: string; readonly occasion?: string; readonly used?: unknown };
}

/** One dollar per thousand input or output tokens: a token costs a million nano-dollars. */
const PRICE = '{ input_usd_per_million: 1000, output_usd_per_million: 1000 }';
const PRICES = `prices: { gpt-4o: ${PRICE}, o-crossing: ${PRICE} }`;
const budget = (fields: string): string => `{ window: { per: day, timezone: UTC }, ${fields} }`;
const PRODUCTION = `client_monitor_mode: ignore
content: redacted
default_max_tokens: 50
${PRICES}
budgets:
  - ${budget('id: team, scope: [metadata.team], limit: { usd: 1 }, warn_at: [0.5], on_exceed: block')}
  - ${budget('id: seen, scope: [model], limit: { tokens: 40 }')}`;
const RULE_ON_BUDGET = `
  - id: budget.late
    title: Late in the day
    stage: pre
    severity: low
    when: { all: [ { budgets.team.used_ratio: { gte: 0.5 } } ] }
    then: { action: flag }
    on_unknown: no_match
`;

describe('budgets', () => {
  const { app, upstream } = appWithUpstream({
    policies: {
      ...TEST_POLICIES,
      'production/policy.yaml': testPolicy('production', PRODUCTION) + RULE_ON_BUDGET.slice(1),
      'staging/policy.yaml': testPolicy(
        'staging',
        `client_monitor_mode: honor\ncontent: redacted\nbudgets:\n  - ${budget('id: strict, scope: [app], limit: { usd: 1 }, on_exceed: block')}`,
      ),
    },
  });

  type Environment = 'staging' | 'production';
  const proxied = (
    team: string,
    more: object = {},
    environment: Environment = 'production',
    requestId: string = randomUUID(),
  ) =>
    fetch(`${app().url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'x-service-key': app().bootstrap.keys[environment],
        'content-type': 'application/json',
        'x-request-id': requestId,
        'x-service-metadata': JSON.stringify({ team }),
      },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }], ...more }),
    });
  const submit = async (event: object, environment: Environment = 'production') => {
    const response = await fetch(`${app().url}/v1/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${app().bootstrap.keys[environment]}`, 'content-type': 'application/json' },
      body: JSON.stringify(event),
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as Record<string, never>,
    };
  };
  const events = async (requestId: string): Promise<StoredEvent[]> => {
    const response = await fetch(`${app().url}/v1/events?request_id=${requestId}`, {
      headers: { authorization: `Bearer ${app().bootstrap.token}` },
    });
    return ((await response.json()) as { data: StoredEvent[] }).data;
  };
  const answerWith = (prompt: number, completion: number): void =>
    upstream().answerJson({
      id: 'c',
      object: 'chat.completion',
      model: 'gpt-4o',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion },
    });
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${app().url}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith(name) && !line.startsWith('#'));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  };
  const chat = { provider: 'openai', model: 'gpt-4o' };

  it('cap the output of a call that sets no limit, and store the cost and the price version of the call', async () => {
    answerWith(10, 5);
    const requestId = randomUUID();
    expect((await proxied('cap', {}, 'production', requestId)).status).toBe(200);
    expect(JSON.parse(upstream().last.body.toString())).toMatchObject({ max_completion_tokens: 50 });
    const response = (await events(requestId)).find(({ type }) => type === 'ai.response');
    expect(response).toMatchObject({ cost_nano_usd: '15000000', price_version: expect.stringMatching(/^policy@/) });
    expect((await proxied('cap', { max_tokens: 7 })).status).toBe(200);
    expect(JSON.parse(upstream().last.body.toString())).not.toHaveProperty('max_completion_tokens');
  });

  it("refuse in the provider's dialect a call that would exceed the limit, and record one event per refusal", async () => {
    answerWith(400, 550);
    const requestId = randomUUID();
    expect((await proxied('full', { max_tokens: 600 })).status).toBe(200);
    const refused = await proxied('full', {}, 'production', requestId);
    expect(refused.status).toBe(400);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    const { error } = (await refused.json()) as {
      error: { type: string; code: string; message: string; weir: object };
    };
    expect(error).toMatchObject({
      type: 'invalid_request_error',
      code: 'budget_exceeded',
      weir: { decision: 'block' },
    });
    expect(error.message).toContain('$0.95 of $1.00 used');
    const stored = await events(requestId);
    expect(stored.map(({ type }) => type).sort()).toEqual(['ai.request', 'budget.exceeded', 'policy.violation']);
    expect(stored.find(({ type }) => type === 'budget.exceeded')?.payload).toMatchObject({
      budget: 'team',
      occasion: 'budget_exceeded',
      scope: { 'metadata.team': 'full' },
      used: '0.95',
      limit: '1.00',
    });
    expect((await proxied('another team', { max_tokens: 1 })).status).toBe(200);
  });

  it('provide rules with the current used amount', async () => {
    answerWith(300, 300);
    expect((await proxied('facts', { max_tokens: 400 })).headers.get('x-weir-decision')).toBe('allow');
    const requestId = randomUUID();
    await proxied('facts', { max_tokens: 10 }, 'production', requestId);
    expect((await events(requestId)).map(({ type }) => type)).toContain('policy.violation');
  });

  it('record the crossing of a limit once, with the event that caused it', async () => {
    const submitAnswer = async (id: string, tokens: number) => {
      const common = { request_id: id, provider: 'openai', model: 'crossing', metadata: { team: 'x' } };
      await submit({ type: 'ai.request', ...common, payload: { prompt: 'x', max_tokens: 1 } });
      return submit({
        type: 'ai.response',
        ...common,
        payload: { output: 'y', usage: { prompt_tokens: tokens, completion_tokens: 0 }, cost_usd: 0.000001 },
      });
    };
    // The model has no price, so the blocking budget refuses the request. Its answer is counted nevertheless.
    for (const [id, tokens] of [
      ['cross-1', 30],
      ['cross-2', 11],
      ['cross-3', 5],
    ] as const)
      await submitAnswer(id, tokens);
    const crossings = await Promise.all(['cross-1', 'cross-2', 'cross-3'].map((id) => events(id)));
    const crossed = crossings.map((each) => each.filter(({ payload }) => payload?.occasion === 'crossed'));
    expect(crossed.map((each) => each.length)).toEqual([0, 1, 0]);
    const response = crossings[1]!.find(({ type }) => type === 'ai.response');
    expect(crossed[1]![0]).toMatchObject({ parent_id: response!.id, payload: { budget: 'seen', used: '41' } });
    expect(await metric('weir_budget_exceeded_total{')).toBeGreaterThanOrEqual(1);
    expect(await metric('weir_budget_warnings_total{')).toBeGreaterThanOrEqual(1);
  });

  it('record the crossing of a limit with the proxied call whose answer caused it', async () => {
    const crossings = async (tokens: number, requestId: string): Promise<unknown[]> => {
      answerWith(1, tokens);
      await (await proxied('cross', { model: 'o-crossing', max_tokens: 5 }, 'production', requestId)).text();
      const all = (await events(requestId)).toSorted((a, b) => a.type.localeCompare(b.type));
      return all.map(({ type, payload }) => (type === 'budget.exceeded' ? payload.used : type));
    };
    expect(await crossings(20, 'crossing-before')).toEqual(['ai.request', 'ai.response']);
    expect(await crossings(30, 'crossing')).toEqual(['ai.request', 'ai.response', '52']);
  });

  it('refuse a call with the violation of a rule if both a rule and a budget refuse it', async () => {
    const response = await submit({
      type: 'ai.request',
      request_id: randomUUID(),
      ...chat,
      metadata: { team: 'full' },
      payload: { prompt: 'ssn-1', max_tokens: 600 },
    });
    expect(response).toMatchObject({ status: 400, body: { error: { type: 'content_policy_violation' } } });
  });

  it('reserve an amount for a submitted request, and count the submitted answer even if it names no model', async () => {
    const metadata = { team: 'told' };
    const request = { type: 'ai.request', ...chat, metadata, payload: { prompt: 'Hello', max_tokens: 900 } };
    expect((await submit({ ...request, request_id: 'told-1' })).status).toBe(200);
    const second = await submit({ ...request, request_id: 'told-2' });
    expect(second).toMatchObject({ status: 429, body: { error: { type: 'budget_reserved' } } });
    expect(second.headers.get('retry-after')).toBe('1');
    const usage = { prompt_tokens: 6, completion_tokens: 20 };
    await submit({ type: 'ai.response', request_id: 'told-1', payload: { output: 'Hi', usage } });
    expect((await events('told-1')).find(({ type }) => type === 'ai.response')?.cost_nano_usd).toBe('26000000');
    expect((await submit({ ...request, request_id: 'told-3' })).status).toBe(200);
    await submit({ type: 'ai.error', request_id: 'told-3', payload: { error: { type: 'overloaded', message: 'x' } } });
    expect((await submit({ ...request, request_id: 'told-4' })).status).toBe(200);
  });

  it('reserve nothing for the retry of an admitted request, and admit a refused request later if there is room', async () => {
    const request = {
      type: 'ai.request',
      event_id: 'retry-1',
      request_id: 'retry-1',
      ...chat,
      metadata: { team: 'retry' },
      payload: { prompt: 'Hello', max_tokens: 350 },
    };
    expect((await submit(request)).status).toBe(200);
    expect((await submit(request)).headers.get('idempotent-replayed')).toBe('true');
    const other = { ...request, event_id: 'retry-2', request_id: 'retry-2' };
    expect((await submit(other)).status).toBe(200);
    const refused = { ...request, event_id: 'retry-3', request_id: 'retry-3' };
    expect((await submit(refused)).status).toBe(429);
    await submit({ type: 'ai.response', request_id: 'retry-1', payload: { output: 'y', cost_usd: 0.1 } });
    expect((await submit(refused)).status).toBe(200);
  });

  it('free the reservation of a call that the provider refused, and count the input of a call that broke off', async () => {
    upstream().answerJson({ error: { message: 'busy', type: 'server_error' } }, 503);
    const failed = randomUUID();
    expect((await proxied('errors', { max_tokens: 900 }, 'production', failed)).status).toBe(503);
    expect((await events(failed)).find(({ type }) => type === 'ai.error')?.cost_nano_usd).toBeNull();
    upstream().answer((response) => void response.destroy());
    const broken = randomUUID();
    expect((await proxied('errors', { max_tokens: 900 }, 'production', broken)).status).toBe(502);
    const cost = Number((await events(broken)).find(({ type }) => type === 'ai.error')?.cost_nano_usd);
    expect(cost).toBeGreaterThan(0);
    expect(cost).toBeLessThan(100_000_000);
    answerWith(1, 1);
    expect((await proxied('errors', { max_tokens: 850 })).status).toBe(200);
  });

  it('count the received part of a stream whose client disconnected', async () => {
    const requestId = randomUUID();
    upstream().answer((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const delta = { content: 'some words that are written '.repeat(2) };
      // Enough chunks that no rule needs the first one any more, so it is forwarded.
      for (let n = 0; n < 3; n++)
        response.write(`data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta }] })}\n\n`);
    });
    const client = httpRequest(`${app().url}/proxy/openai/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'x-service-key': app().bootstrap.keys.production,
        'x-request-id': requestId,
        'x-service-metadata': '{"team":"left"}',
      },
    });
    client.on('error', () => undefined);
    client.end(
      JSON.stringify({ model: 'gpt-4o', stream: true, max_tokens: 900, messages: [{ role: 'user', content: 'x' }] }),
    );
    const [message] = (await once(client, 'response')) as [NodeJS.ReadableStream];
    await once(message, 'data');
    client.destroy();
    let stored: StoredEvent | undefined;
    while (stored === undefined)
      stored = (await events(requestId)).find(({ type }) => type !== 'ai.request' && type !== 'budget.exceeded');
    expect(stored).toMatchObject({ reason: 'client_disconnected' });
    expect(Number(stored.cost_nano_usd)).toBeGreaterThan(20_000_000);
    expect(Number(stored.cost_nano_usd)).toBeLessThan(100_000_000);
    answerWith(1, 1);
    expect((await proxied('left', { max_tokens: 850 })).status).toBe(200);
  });

  it('refuse calls with an unknown price, and admit calls that cost nothing', async () => {
    const unknown = await proxied('p', { model: 'no-such-model' }, 'staging');
    expect(unknown.status).toBe(400);
    expect(((await unknown.json()) as { error: { message: string } }).error.message).toMatch(
      /blocks calls with an unknown price/,
    );
    const headers = { 'x-service-key': app().bootstrap.keys.staging };
    upstream().answerJson({ data: [] });
    expect((await fetch(`${app().url}/proxy/openai/v1/models`, { headers })).status).toBe(200);
    const images = await fetch(`${app().url}/proxy/openai/v1/images/generations`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"model":"gpt-image-1","prompt":"x"}',
    });
    expect(images.status).toBe(400);
  });

  it.each([{}, { stream_options: { include_usage: false } }])(
    'count the usage that the provider reports for a stream, even if the client did not request it: %j',
    async (options) => {
      upstream().answer((response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const chunk = (more: object): string => `data: ${JSON.stringify({ id: 'c', ...more })}\n\n`;
        response.write(chunk({ choices: [{ index: 0, delta: { content: 'Hi' } }] }));
        response.write(chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }));
        // Most of the output is hidden reasoning.
        const usage = { prompt_tokens: 10, completion_tokens: 90, completion_tokens_details: { reasoning_tokens: 80 } };
        response.end(`${chunk({ choices: [], usage })}data: [DONE]\n\n`);
      });
      const requestId = randomUUID();
      const response = await proxied('streams', { stream: true, max_tokens: 100, ...options }, 'production', requestId);
      expect(await response.text()).not.toContain('usage');
      expect(JSON.parse(upstream().last.body.toString())).toMatchObject({ stream_options: { include_usage: true } });
      let stored: StoredEvent | undefined;
      while (stored === undefined) stored = (await events(requestId)).find(({ type }) => type === 'ai.response');
      expect(stored).toMatchObject({ cost_nano_usd: '100000000', usage: { reasoning_tokens: 80, estimated: false } });
    },
  );

  it('report usage that has no price, and count the reserved amount for it', async () => {
    const reported = { prompt_tokens: 10, completion_tokens: 5 };
    const answer = (more: object): void =>
      upstream().answerJson({
        ...{ id: 'c', object: 'chat.completion', model: 'gpt-4o', choices: [], usage: reported },
        ...more,
      });
    const cost = async (requestId: string) =>
      (await events(requestId)).find(({ type }) => type === 'ai.response') as StoredEvent;
    const [priority, sound] = [randomUUID(), randomUUID()];
    answer({ service_tier: 'priority' });
    expect((await proxied('tier', { max_tokens: 500 }, 'production', priority)).status).toBe(200);
    expect(await cost(priority)).toMatchObject({
      cost_nano_usd: null,
      price_version: null,
      usage: { prompt_tokens: 10, cache_write_1h_tokens: null, other: { service_tier: 'priority' } },
    });
    answer({ usage: { ...reported, prompt_tokens_details: { audio_tokens: 4 } } });
    await proxied('sound', { max_tokens: 10 }, 'production', sound);
    expect(await cost(sound)).toMatchObject({ cost_nano_usd: null, usage: { other: { audio_input_tokens: 4 } } });
    // The reserved amount, 500 tokens and the request, is counted because the cost is unknown.
    answer({});
    expect((await proxied('tier', { max_tokens: 500 })).status).toBe(400);
    // A request that names such a tier has no price to reserve.
    const asked = await proxied('tier-2', { max_tokens: 1, service_tier: 'flex' });
    expect([asked.status, await asked.text()]).toEqual([400, expect.stringContaining('unknown price')]);
  });

  it('show how many tokens were written to a one-hour cache', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 1, cache_write_tokens: 60, cache_write_1h_tokens: 40 };
    const id = randomUUID();
    await submit({ type: 'ai.response', request_id: id, ...chat, payload: { output: 'x', usage } });
    expect((await events(id))[0]).toMatchObject({ usage: { ...usage, other: null, estimated: false } });
  });

  it('only monitor a request that asks for monitor mode, if the policy honours that', async () => {
    const request = { type: 'ai.request', request_id: randomUUID(), provider: 'openai', model: 'no-such-model' };
    expect((await submit({ ...request, payload: { prompt: 'x' } }, 'staging')).status).toBe(400);
    expect((await submit({ ...request, payload: { prompt: 'x', monitor_mode: true } }, 'staging')).status).toBe(200);
  });

  describe('weir budgets', () => {
    const weir = (...argv: string[]) =>
      runWeir(['budgets', ...argv], {
        env: {
          WEIR_URL: app().url,
          WEIR_TOKEN: app().bootstrap.token,
          HOME: app().dataDir,
          PATH: process.env['PATH'] ?? '',
        },
        nowMs: () => performance.now(),
      });
    const json = async (...argv: string[]): Promise<unknown> => {
      const { stdout } = await weir(...argv, '--json');
      const group = COMMANDS.find((entry) => 'commands' in entry && entry.name === 'budgets');
      const commands = group !== undefined && 'commands' in group ? group.commands : [];
      const shape = (await commands.find(({ usage }) => usage.split(' ')[0] === argv[0])?.load())?.output;
      const value: unknown = JSON.parse(stdout);
      expect(shape?.safeParse(value).error).toBeUndefined();
      return value;
    };
    /** Replaces values that differ between runs with names. */
    const plain = (text: string): string =>
      text
        .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, '<window>                            ')
        .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '<time>')
        .replace(/\d{4}-\d{2}-\d{2}([ T])\d{2}:\d{2}/g, '<day>$1');

    it('lists, shows and corrects used amounts, with the reason in the admin audit log', async () => {
      answerWith(100, 0);
      await proxied('cli', { max_tokens: 1 });
      expect(await json('list', '--env', 'production')).toMatchObject({ schemaVersion: 1 });
      expect(await json('list', '--env', 'development')).toEqual({ schemaVersion: 1, budgets: [], more: false });
      expect(await json('show', 'team')).toMatchObject({ schemaVersion: 1 });
      const target = ['team', '--scope', 'metadata.team=cli', '--because', 'TICKET-7'];
      expect((await weir('adjust', ...target, '--by', '0.5')).exit).toBe(0);
      const adjusted = await weir('adjust', ...target, '--by=-0.25');
      expectGolden('budgets-adjust', { ...adjusted, stdout: plain(adjusted.stdout) });
      expect(await json('adjust', ...target, '--by', '0.01')).toMatchObject({ budget: { used: '0.36' } });
      const audit = await fetch(`${app().url}/v1/audit?action=budget.adjusted`, {
        headers: { authorization: `Bearer ${app().bootstrap.token}` },
      });
      expect(JSON.stringify(await audit.json())).toContain('TICKET-7');
      const shown = await weir('show', 'team', '--env', 'production');
      const own = shown.stdout.split('\n').filter((line) => /^BUDGET|=cli/.test(line));
      expect(own.length).toBe(3);
      expect(shown.stdout).toContain('50% at');
      expect((await weir('show', 'no-such')).exit).toBe(2);
      expect((await weir('adjust', 'team', '--by', '1', '--because', 'x')).stderr).toContain('several windows match');
      expect((await weir('adjust', 'team', '--by', 'much', '--because', 'x')).exit).toBe(2);
    });

    it('verifies that log, ledger and budgets agree, and reports windows that differ', async () => {
      expect(await weir('audit')).toMatchObject({ exit: 0, stderr: expect.stringContaining('all exact') });
      const before = (await json('audit')) as { exact: boolean; data: { usage: string; estimated: string }[] };
      expect(before.exact).toBe(true);
      expect(before.data.length).toBeGreaterThan(5);
      const { sql } = app().weir.app.get(Database);
      const change = (by: number): Promise<unknown> =>
        sql.query(`UPDATE budget_periods SET settled_n = settled_n + ${by} WHERE scope_label::text LIKE '%cli%'`);
      await change(1);
      expect(await weir('audit')).toMatchObject({ exit: 1, stderr: expect.stringContaining('1 window of') });
      await change(-1);
      expect((await weir('audit')).exit).toBe(0);
    });

    it('needs a token to read, and a separate scope to correct', async () => {
      const made = await fetch(`${app().url}/v1/tokens`, {
        method: 'POST',
        headers: { authorization: `Bearer ${app().bootstrap.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'reader', scopes: ['events:read'] }),
      });
      const { secret } = (await made.json()) as { secret: string };
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
      expect((await fetch(`${app().url}/v1/budgets`, { headers })).status).toBe(200);
      const body = JSON.stringify({ period_id: randomUUID(), amount: '1', because: 'x' });
      const adjust = (authorization: string): Promise<Response> =>
        fetch(`${app().url}/v1/budgets/team/adjustments`, {
          method: 'POST',
          headers: { ...headers, authorization },
          body,
        });
      expect((await adjust(headers.authorization)).status).toBe(403);
      expect((await adjust(`Bearer ${app().bootstrap.token}`)).status).toBe(404);
      expect((await fetch(`${app().url}/v1/budgets`)).status).toBe(401);
    });
  });
});
