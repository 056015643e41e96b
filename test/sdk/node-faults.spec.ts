import { Readable } from 'node:stream';
import { BadRequestError, InternalServerError, RateLimitError, type APIError, type OpenAI } from 'openai';
import {
  isBlocked,
  Weir,
  weir,
  weirFetch,
  weirOf,
  withWeirContext,
  type WeirContext,
  type WeirOptions,
} from '../../sdk/node/src/index.js';
import { freePort } from '../support/server-process.js';
import { RawUpstream } from '../support/raw-upstream.js';
import { allow, answerStatus, redact, refusalBody } from './fake-weir.js';
import { COMPLETION, guardedEnds } from './guarded-ends.js';

const ASKED = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'the secret word is swordfish' }] };
const KEY = 'sk_test_never_to_be_seen';

describe('a guarded client during faults of Weir', () => {
  const ends = guardedEnds(KEY);
  const { warnings, options, bare } = ends;
  const guarded = (more: WeirOptions = {}): OpenAI => weir(bare(), options(more));
  const failure = async (call: PromiseLike<unknown>): Promise<unknown> =>
    call.then(
      () => Promise.reject(new Error('the call did not fail')),
      (error: unknown) => error,
    );

  const tooLarge = [
    [413, 413, 'Weir: the body is too large for a server in front of Weir, so the call was not sent'],
    [414, 400, 'Weir: the metadata or the address of this call is too long, so the call was not sent'],
    [431, 400, 'Weir: the metadata or the address of this call is too long, so the call was not sent'],
  ] as const;
  it.each(tooLarge.flatMap((row) => (['closed', 'open'] as const).map((failMode) => [...row, failMode] as const)))(
    'sends no call that a server in front of Weir refuses with %i, which becomes %i: %s (%s)',
    async (status, expected, message, failMode) => {
      ends.fake.answer(answerStatus(status, '<html>'));
      const error = (await failure(guarded({ failMode }).chat.completions.create(ASKED))) as APIError;
      expect([error.status, error.message]).toEqual([expected, expect.stringContaining(message)]);
      expect([ends.provider.requests.length, ends.fake.asked.length]).toEqual([0, 1]);
    },
  );

  it.each([301, 302, 303, 307, 308])(
    'sends neither keys nor the prompt to the address to which a proxied call is redirected (%i)',
    async (status) => {
      const elsewhere = await RawUpstream.start();
      try {
        elsewhere.answerJson(COMPLETION);
        ends.fake.answer((response) => void response.writeHead(status, { location: `${elsewhere.url}/v1` }).end());
        const connection = new Weir(options({ via: 'proxy' }));
        const error = await failure(weir(bare(), connection).chat.completions.create(ASKED));
        expect(error).toBeInstanceOf(InternalServerError);
        expect((error as APIError).code).toBe('guardrail_unavailable');
        expect([elsewhere.requests.length, ends.fake.asked.length]).toEqual([0, 1]);
        expect(connection.stats()).toMatchObject({ asked: 1, unavailable: 1 });
      } finally {
        await elsewhere.close();
      }
    },
  );

  it.each<readonly [string, WeirContext]>([
    ['session', { session: 'two words' }],
    ['session', { session: 'Zoë' }],
    ['requestId', { requestId: 'a\nb' }],
    ['metadata', { metadata: { size: 1n } }],
  ])('rejects an invalid context immediately: %s', (name, context) => {
    let ran = 0;
    expect(() => withWeirContext(context, () => ran++)).toThrow(
      new RegExp(`was called with an invalid context: ${name}: must be`),
    );
    expect(ran).toBe(0);
  });

  it('ends a call whose body never arrives when the caller aborts it', async () => {
    for (const body of [new ReadableStream(), new Readable({ read: () => undefined })]) {
      const controller = new AbortController();
      const init = { method: 'POST', body: body as never, signal: controller.signal, duplex: 'half' } as RequestInit;
      const call = failure(
        weirFetch(options({ provider: 'openai' }))(`${ends.provider.url}/v1/chat/completions`, init),
      );
      controller.abort();
      expect(await call).toMatchObject({ name: 'AbortError' });
    }
    expect([ends.provider.requests.length, ends.fake.asked.length]).toEqual([0, 0]);
  });

  const faults: readonly (readonly [string, () => void])[] = [
    ['answers 500', () => ends.fake.answer(answerStatus(500, 'oops'))],
    [
      'answers 503 of its own',
      () => ends.fake.answer(answerStatus(503, refusalBody('unavailable'), { 'retry-after': '9' })),
    ],
    ['answers a page of a load balancer', () => ends.fake.answer(answerStatus(502, '<html>'))],
    ['allows without an id of the call', () => ends.fake.answer((response) => void response.writeHead(204).end())],
    ['answers 200 with nothing to send', () => ends.fake.answer(redact(''))],
    [
      'answers garbage with status 400',
      () => ends.fake.answer(answerStatus(400, '{"error":{"message":"of somebody else"}}')),
    ],
    ['is a page that says OK to everything', () => ends.fake.answer(answerStatus(200, '{"ok":true}'))],
    [
      'sends somewhere else',
      () => ends.fake.answer((response) => void response.writeHead(307, { location: '/' }).end()),
    ],
    ['breaks the connection', () => ends.fake.answer((response) => void response.destroy())],
    [
      'breaks off in the middle of a body',
      () =>
        ends.fake.answer((response) => {
          response.writeHead(200, { 'x-weir-call': 'c', 'content-length': '100' }).write('{');
          setImmediate(() => response.destroy());
        }),
    ],
  ];
  describe.each(faults)('when Weir %s', (_, arrange) => {
    it('refuses the call if its fail mode is closed: nothing is sent, and the client does not retry', async () => {
      arrange();
      const error = (await failure(guarded().chat.completions.create(ASKED))) as APIError;
      expect(error).toBeInstanceOf(InternalServerError);
      expect(['guardrail_unavailable', 'unavailable']).toContain(error.code);
      expect(isBlocked(error)).toBe(false);
      expect(weirOf(error)?.code).toBe(error.code);
      expect(ends.provider.requests).toHaveLength(0);
      expect(`${error.message} ${JSON.stringify(error)} ${warnings.join()}`).not.toMatch(
        /swordfish|sk_test|provider-key/,
      );
    });

    it('makes the call once if its fail mode is open, and logs a warning', async () => {
      arrange();
      const connection = new Weir(options({ failMode: 'open' }));
      const answer = await weir(bare(), connection).chat.completions.create(ASKED);
      expect(answer.choices[0]!.message.content).toBe('Hi');
      expect(ends.provider.requests).toHaveLength(1);
      expect(connection.stats()).toMatchObject({ asked: 1, passedOpen: 1, unavailable: 0 });
      expect(warnings.join()).toMatch(/^Weir .*failMode/);
    });
  });

  it('does not wait for Weir longer than the deadline, whatever the retries of the client', async () => {
    let hanging = 0;
    ends.fake.answer(() => void hanging++);
    const error = (await failure(guarded({ deadlineMs: 60 }).chat.completions.create(ASKED))) as APIError;
    expect(error.code).toBe('guardrail_unavailable');
    expect(error.message).toContain('Weir did not answer within 60 ms');
    // On a busy machine the deadline may be over before the request is sent.
    expect(hanging).toBeLessThanOrEqual(1);
    expect(ends.provider.requests).toHaveLength(0);
  });

  it('does not wait longer than the deadline either if its connection to Weir ignores the abort', async () => {
    const deaf = { fetch: () => new Promise<never>(() => undefined), deadlineMs: 60 };
    const error = (await failure(guarded(deaf).chat.completions.create(ASKED))) as APIError;
    expect(error.message).toContain('Weir did not answer within 60 ms');
    expect(ends.provider.requests).toHaveLength(0);
  });

  it('reaches Weir although there is white space around its address, as in the last line of a file', async () => {
    await guarded({ baseUrl: ` ${ends.fake.url}/ \n`, failMode: 'open' }).chat.completions.create(ASKED);
    expect([ends.fake.asked.length, warnings]).toEqual([1, []]);
  });

  it('refuses when Weir is unreachable', async () => {
    const baseUrl = `http://127.0.0.1:${await freePort()}`;
    const error = (await failure(guarded({ baseUrl }).chat.completions.create(ASKED))) as APIError;
    expect(error.message).toContain('Weir could not be reached (ECONNREFUSED)');
    expect(ends.provider.requests).toHaveLength(0);
  });

  it('retries its request to Weir with the same idempotency key, and then makes the call', async () => {
    let times = 0;
    ends.fake.answer((response, request) => (++times < 3 ? answerStatus(500, 'oops') : allow())(response, request));
    await guarded().chat.completions.create(ASKED);
    expect(ends.fake.asked).toHaveLength(3);
    expect(new Set(ends.fake.asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(ends.provider.requests).toHaveLength(1);
  });

  it('waits for the retry-after of a rate limit if it fits into the deadline', async () => {
    let times = 0;
    const limited = answerStatus(429, refusalBody('rate_limit_exceeded'), { 'retry-after': '1' });
    ends.fake.answer((response, request) => (++times === 1 ? limited : allow())(response, request));
    await guarded().chat.completions.create(ASKED);
    expect(ends.fake.asked).toHaveLength(2);
  });

  it('never retries when the trial is over', async () => {
    const over = answerStatus(429, refusalBody('trial_limit_reached'), { 'x-should-retry': 'false' });
    ends.fake.answer(over);
    const error = await failure(guarded({ failMode: 'open' }).chat.completions.create(ASKED));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(ends.fake.asked).toHaveLength(1);
    expect(ends.provider.requests).toHaveLength(0);
  });

  it.each([401, 402, 404, 413, 422])('raises a refusal with %i even if its fail mode is open', async (status) => {
    ends.fake.answer(answerStatus(status, refusalBody('authentication_error'), { 'x-should-retry': 'false' }));
    const error = (await failure(guarded({ failMode: 'open' }).chat.completions.create(ASKED))) as APIError;
    expect(error.status).toBe(status);
    expect(ends.provider.requests).toHaveLength(0);
    expect(ends.fake.asked).toHaveLength(1);
  });

  it('does not override a decision that an unavailable detector caused, even if its fail mode is open', async () => {
    const said = { decision: 'block', event_id: 'event-9' };
    ends.fake.answer(answerStatus(503, refusalBody('guardrail_unavailable', said), { 'x-should-retry': 'false' }));
    const error = await failure(guarded({ failMode: 'open' }).chat.completions.create(ASKED));
    expect(error).toBeInstanceOf(InternalServerError);
    expect(weirOf(error)).toMatchObject({ eventId: 'event-9', decision: 'block' });
    expect(ends.provider.requests).toHaveLength(0);
  });

  it('distinguishes a blocked call from all other errors', async () => {
    const violations = [{ rule: 'r', action: 'block', enforced: true }];
    const said = { decision: 'block', event_id: 'event-9', violations };
    ends.fake.answer(answerStatus(400, refusalBody('content_policy_violation', said), { 'x-should-retry': 'false' }));
    const error = await failure(guarded().chat.completions.create(ASKED));
    expect(error).toBeInstanceOf(BadRequestError);
    expect((error as APIError).code).toBe('content_policy_violation');
    expect(isBlocked(error)).toBe(true);
    expect(isBlocked(new Error('wrapped', { cause: error }))).toBe(true);
    expect(weirOf(error)).toMatchObject({ eventId: 'event-9', violations });
    expect(ends.fake.asked).toHaveLength(1);
    expect(isBlocked(new Error('other'))).toBe(false);
  });

  it('aborts its request to Weir when the caller aborts', async () => {
    const controller = new AbortController();
    ends.fake.answer(() => controller.abort());
    const error = await failure(guarded().chat.completions.create(ASKED, { signal: controller.signal }));
    expect((error as Error).constructor.name).toBe('APIUserAbortError');
    expect(ends.provider.requests).toHaveLength(0);
  });

  it('never shows its key', async () => {
    const connection = new Weir(options());
    const { inspect } = await import('node:util');
    expect(`${inspect(connection, { depth: 9 })}${JSON.stringify(connection)}`).not.toContain(KEY);
  });

  it.each([
    ['no key', { apiKey: '' }, 'apiKey'],
    ['a misspelt option', { failmode: 'open' }, 'failmode'],
    ['a wrong mode', { failMode: 'ajar' }, 'failMode'],
    ['a URL that is none', { baseUrl: 'weir' }, 'baseUrl'],
    ['metadata that is not an object', { metadata: [] }, 'metadata'],
    [
      'a deadline that is longer than any timer',
      { deadlineMs: Number.MAX_SAFE_INTEGER },
      'deadlineMs: must be a number from 0 to 2147483647',
    ],
    [
      'a flush that is longer than any timer',
      { flushTimeoutMs: Infinity },
      'flushTimeoutMs: must be a number from 0 to 2147483647',
    ],
  ])('names the invalid option: %s', (_, wrong, name) => {
    expect(() => weirFetch({ ...options(), ...wrong } as WeirOptions)).toThrow(name);
  });
});
