import { Weir, weir, weirOf } from '../../sdk/node/src/index.js';
import type { Respond } from '../support/raw-upstream.js';
import { answerStatus, refusalBody } from './fake-weir.js';
import { COMPLETION, guardedEnds } from './guarded-ends.js';

const ASKED = { model: 'gpt-4o', messages: [{ role: 'user' as const, content: 'hello' }] };
const refuseAll = answerStatus(422, refusalBody('invalid_request'));
/** More attempts than a report has that Weir itself cannot process. */
const MANY = 8;

describe('the reports of a guarded client', () => {
  const ends = guardedEnds(['sk', 'test', 'reports'].join('_'));
  const { warnings, options, bare, toWeir } = ends;
  /** Repeats attempts without their long pauses, while the condition holds. */
  const hurry = async (connection: Weir, condition: () => boolean): Promise<void> => {
    while (condition()) await connection.flush(60);
  };
  const countIn = (body: Buffer): number => body.toString().split('"call":').length - 1;
  const accept: Respond = (response, request) => {
    const answers = Array.from({ length: countIn(request.body) }, () => ({ status: 200, violations: [] }));
    return answerStatus(200, { answers })(response, request);
  };
  /** Sets the answer to batches, of which none is answered before the gate is open: reports gather meanwhile. */
  const gateBefore = (answer: Respond): { open(): void; close(): void } => {
    let open: () => void = () => undefined;
    let isOpen: Promise<void> = Promise.resolve();
    const close = (): void => void (isOpen = new Promise((resolve) => (open = resolve)));
    close();
    ends.fake.answerReports(async (response, request) => {
      await isOpen;
      return answer(response, request);
    });
    return { open: () => open(), close };
  };

  it('are sent again after a fault, and none is lost', async () => {
    let times = 0;
    ends.fake.answerReports((response, request) => {
      if (++times < 3) return answerStatus(times === 1 ? 500 : 429, 'oops')(response, request);
      ends.fake.answerReports(undefined);
      return answerStatus(503, '')(response, request);
    });
    const connection = new Weir(options());
    const client = weir(bare(), connection);
    await client.chat.completions.create(ASKED);
    await client.chat.completions.create(ASKED);
    await ends.fake.untilReports(2);
    await connection.flush();
    expect(ends.fake.reports.map(({ header }) => header['status'])).toEqual([200, 200]);
    expect(JSON.parse(ends.fake.reports[0]!.body)).toEqual(COMPLETION);
    expect(connection.stats()).toMatchObject({ reported: 2, dropped: 0, queued: 0, queuedBytes: 0 });
  });

  it('are queued up to a number while Weir does not accept them', async () => {
    ends.fake.answerReports(() => undefined);
    const connection = new Weir(options({ queueMaxReports: 3, flushTimeoutMs: 60_000 }));
    const client = weir(bare(), connection);
    for (let call = 0; call < 5; call++) await client.chat.completions.create(ASKED);
    expect(connection.stats()).toMatchObject({ queued: 3, dropped: 2, reported: 0 });
    expect(connection.stats().queuedBytes).toBe(3 * JSON.stringify(COMPLETION).length);
    expect(await connection.flush(20)).toBe(false);
  });

  it('are queued up to a number of bytes', async () => {
    ends.fake.answerReports(() => undefined);
    const length = JSON.stringify(COMPLETION).length;
    const connection = new Weir(options({ queueMaxBytes: 2 * length + 1 }));
    const client = weir(bare(), connection);
    for (let call = 0; call < 4; call++) await client.chat.completions.create(ASKED);
    expect(connection.stats()).toMatchObject({ queued: 2, queuedBytes: 2 * length, dropped: 2 });
  });

  it('are split into smaller batches if a batch is too large for Weir', async () => {
    const sizes: number[] = [];
    let hold: (() => void) | undefined;
    ends.fake.answerReports(async (response, request) => {
      if (hold === undefined) await new Promise<void>((resolve) => (hold = resolve));
      const count = countIn(request.body);
      sizes.push(count);
      if (count > 1) return answerStatus(413, {})(response, request);
      return answerStatus(200, { answers: [{ status: 200, violations: [] }] })(response, request);
    });
    const connection = new Weir(options());
    const client = weir(bare(), connection);
    for (let call = 0; call < 4; call++) await client.chat.completions.create(ASKED);
    hold?.();
    expect(await connection.flush()).toBe(true);
    expect(connection.stats()).toMatchObject({ reported: 4, dropped: 0 });
    expect(sizes.at(-1)).toBe(1);
  });

  it('contain the beginning of an answer that is too large for Weir', async () => {
    ends.fake.answerReports((response, request) => {
      ends.fake.answerReports(undefined);
      return answerStatus(413, 'too large')(response, request);
    });
    const connection = new Weir(options({ flushTimeoutMs: 60_000 }));
    await weir(bare(), connection).chat.completions.create(ASKED);
    expect(await connection.flush()).toBe(true);
    const whole = JSON.stringify(COMPLETION);
    expect(ends.fake.reports).toMatchObject([
      { header: { status: 200, ended: 'aborted' }, body: whole.slice(0, Math.floor(whole.length / 2)) },
    ]);
    expect(connection.stats()).toMatchObject({ reported: 1, dropped: 0, queued: 0, queuedBytes: 0 });
    expect(warnings).toEqual(['Weir: an answer is too large for a report, so only its beginning is reported']);
  });

  it('are dropped if they are too large even without their answer', async () => {
    ends.fake.answerReports(answerStatus(413, {}));
    const connection = new Weir(options({ flushTimeoutMs: 60_000 }));
    await weir(bare(), connection).chat.completions.create(ASKED);
    expect(await connection.flush()).toBe(true);
    expect(connection.stats()).toMatchObject({ reported: 0, dropped: 1, queued: 0, queuedBytes: 0 });
    expect(warnings).toContain('Weir: 1 reports were refused (status 413)');
  });

  it.each([
    ['as a whole', refuseAll, 422],
    ['one by one', answerStatus(200, { answers: [{ status: 404, error: { type: 'not_found' } }] }), 404],
  ] as const)('are dropped with a warning if Weir will never accept them (%s)', async (_, refuse, status) => {
    ends.fake.answerReports(refuse);
    const connection = new Weir(options());
    await weir(bare(), connection).chat.completions.create(ASKED);
    await connection.flush();
    expect(connection.stats()).toMatchObject({ reported: 0, dropped: 1, queued: 0 });
    expect(warnings).toEqual([`Weir: 1 reports were refused (status ${status})`]);
  });

  it('delay the end of an answer until Weir has its report, if configured', async () => {
    const order: string[] = [];
    ends.fake.answerReports((response) => {
      order.push('reported');
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({
          answers: [{ status: 200, violations: [{ rule: 'late', action: 'flag', enforced: false }] }],
        }),
      );
    });
    const answer = await weir(bare(), options({ report: 'await' })).chat.completions.create(ASKED);
    order.push('answered');
    expect(order).toEqual(['reported', 'answered']);
    expect(await weirOf(answer)?.answered).toEqual([{ rule: 'late', action: 'flag', enforced: false }]);
  });

  const outages: Readonly<Record<string, Respond>> = {
    'answers 500': answerStatus(500, 'oops'),
    'is starting': answerStatus(503, refusalBody('unavailable')),
    'limits them': answerStatus(429, refusalBody('rate_limit_exceeded')),
    'breaks the connection': (response) => void response.destroy(),
    'is a page that says OK to everything': answerStatus(200, '<html>'),
    'cannot store any of them': answerStatus(200, { answers: [{ status: 503 }, { status: 503 }] }),
    'still processes an earlier attempt': answerStatus(200, { answers: [{ status: 409 }, { status: 409 }] }),
  };
  it.each(Object.entries(outages))('are sent again, as often as it takes, while Weir %s', async (_, fail) => {
    let attempts = 0;
    ends.fake.answerReports((response, request) => {
      attempts++;
      return fail(response, request);
    });
    const connection = new Weir(options());
    const client = weir(bare(), connection);
    const answer = await client.chat.completions.create(ASKED);
    await client.chat.completions.create(ASKED);
    await hurry(connection, () => attempts < MANY && connection.stats().queued > 0);
    ends.fake.answerReports(undefined);
    await hurry(connection, () => connection.stats().queued > 0);
    expect(connection.stats()).toMatchObject({ reported: 2, dropped: 0, queued: 0 });
    expect(await weirOf(answer)?.answered).toEqual([]);
  });

  it('are sent again for an hour, and then dropped', async () => {
    ends.fake.answerReports(answerStatus(503, ''));
    const connection = new Weir(options());
    await weir(bare(), connection).chat.completions.create(ASKED);
    expect(await connection.flush(200)).toBe(false);
    const { now } = performance;
    performance.now = () => now.call(performance) + 3_600_000;
    try {
      await hurry(connection, () => connection.stats().queued > 0);
    } finally {
      performance.now = now;
    }
    expect(connection.stats()).toMatchObject({ reported: 0, dropped: 1, queued: 0 });
    expect(warnings).toEqual(['Weir: 1 reports could not be sent and were dropped']);
  });

  it.each([
    ['Weir fails to process', answerStatus(200, { answers: [{ status: 500 }] })],
    ['another server refuses', answerStatus(403, '<html>')],
  ])('are dropped after some attempts if %s one of them', async (_, fail) => {
    let attempts = 0;
    ends.fake.answerReports((response, request) => {
      attempts++;
      return fail(response, request);
    });
    const connection = new Weir(options());
    await weir(bare(), connection).chat.completions.create(ASKED);
    await hurry(connection, () => connection.stats().queued > 0);
    expect([attempts > 1, attempts < MANY, connection.stats().dropped]).toEqual([true, true, 1]);
  });

  it.each([
    ['makes Weir fail', answerStatus(500, 'oops'), { reported: 3, dropped: 0, queued: 1 }],
    ['has their batch refused', refuseAll, { reported: 3, dropped: 1, queued: 0 }],
  ] as const)('arrive although one of them %s', async (_, fail, expected) => {
    const gate = gateBefore((response, request) =>
      (request.body.includes('planted') ? fail : accept)(response, request),
    );
    const connection = new Weir(options());
    const client = weir(bare(), connection);
    for (const id of ['first', 'planted', 'third', 'fourth']) {
      ends.provider.answerJson({ ...COMPLETION, id });
      await client.chat.completions.create(ASKED);
    }
    gate.open();
    await hurry(connection, () => connection.stats().queued > expected.queued);
    expect(connection.stats()).toMatchObject(expected);
  });

  it('fill larger batches again after some that were too large for Weir', async () => {
    const sizes: number[] = [];
    let mostAtOnce = 2;
    const gate = gateBefore((response, request) => {
      const size = countIn(request.body);
      if (size > mostAtOnce) return answerStatus(413, {})(response, request);
      sizes.push(size);
      return accept(response, request);
    });
    const connection = new Weir(options({ flushTimeoutMs: 60_000 }));
    const client = weir(bare(), connection);
    const report = async (count: number): Promise<void> => {
      gate.close();
      for (let call = 0; call < count; call++) await client.chat.completions.create(ASKED);
      gate.open();
      expect(await connection.flush()).toBe(true);
    };
    await report(7);
    expect(Math.max(...sizes)).toBe(2);
    mostAtOnce = Infinity;
    await report(7);
    expect(Math.max(...sizes)).toBeGreaterThan(2);
    expect(connection.stats()).toMatchObject({ reported: 14, dropped: 0 });
  });

  it.each<readonly [string, () => unknown]>([
    [
      'throws an error',
      () => {
        throw new Error('the log is closed');
      },
    ],
    ['fails later', () => Promise.reject(new Error('the log is closed'))],
  ])('go on arriving after a warning for which the function of the application %s', async (_, warn) => {
    ends.fake.answerReports(refuseAll);
    const connection = new Weir(options({ onWarning: warn as () => void, flushTimeoutMs: 60_000 }));
    const client = weir(bare(), connection);
    await client.chat.completions.create(ASKED);
    expect(await connection.flush()).toBe(true);
    ends.fake.answerReports(undefined);
    await client.chat.completions.create(ASKED);
    expect(await connection.flush()).toBe(true);
    expect(connection.stats()).toMatchObject({ reported: 1, dropped: 1 });
  });

  it('arrive although Weir needs more time for them than a flush has', async () => {
    ends.fake.answerReports(async (response, request) => {
      await new Promise((resolve) => setTimeout(resolve, 350));
      return accept(response, request);
    });
    const connection = new Weir(options({ flushTimeoutMs: 100 }));
    await weir(bare(), connection).chat.completions.create(ASKED);
    await hurry(connection, () => connection.stats().queued > 0);
    expect(connection.stats()).toMatchObject({ reported: 1, dropped: 0 });
  });

  it('are awaited by a flush without a limit', async () => {
    let open: () => void = () => undefined;
    const arrived = new Promise<void>((arrive) => {
      ends.fake.answerReports(async (response, request) => {
        arrive();
        await new Promise<void>((resolve) => (open = resolve));
        return accept(response, request);
      });
    });
    const connection = new Weir(options({ flushTimeoutMs: 60_000 }));
    await weir(bare(), connection).chat.completions.create(ASKED);
    await arrived;
    const flushed = connection.flush(Number.MAX_SAFE_INTEGER);
    setTimeout(() => open(), 50);
    expect(await flushed).toBe(true);
  });

  it('arrive although the runtime has given up on an earlier request, as a worker does when it has answered', async () => {
    const send = toWeir();
    let isGivenUp = true;
    const connection = new Weir(
      options({
        flushTimeoutMs: 60_000,
        fetch: (input, init) =>
          isGivenUp && String(input).endsWith('/answers') ? new Promise(() => undefined) : send(input, init),
      }),
    );
    const client = weir(bare(), connection);
    await client.chat.completions.create(ASKED);
    expect(await connection.flush(20)).toBe(false);
    isGivenUp = false;
    const { now } = performance;
    performance.now = () => now.call(performance) + 70_000;
    try {
      await client.chat.completions.create(ASKED);
      expect(await connection.flush(20_000)).toBe(true);
    } finally {
      performance.now = now;
    }
    expect(connection.stats()).toMatchObject({ reported: 2, dropped: 0, queued: 0 });
  });
});
