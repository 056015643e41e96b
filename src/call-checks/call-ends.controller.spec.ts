import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/index.js';
import type { CallEntrance, UnpackedLimits } from '../calls/index.js';
import type { AppConfig } from '../config/index.js';
import type { Logger } from '../http/index.js';
import type { BodyRooms } from '../limits/index.js';
import type { CallEnds } from './call-ends.service.js';
import { CallEndsController } from './call-ends.controller.js';
import type { ReportedAnswer } from './reported-answer.js';

const call = (nth: number): string => `018f0000-0000-7000-8000-00000000000${nth}`;
const item = (head: object): string => `${JSON.stringify({ status: 200, length: 2, ...head })}\n{}\n`;

describe('A batch of reported answers', () => {
  it('is recorded at once, but packed answers one after the other in the memory of the request', async () => {
    const running = { plain: 0, packed: 0 };
    const most = { plain: 0, packed: 0 };
    const reached: number[] = [];
    const record = async (_caller: Caller, { call: id, coding }: ReportedAnswer, { reach }: UnpackedLimits) => {
      const kind = coding === undefined ? 'plain' : 'packed';
      most[kind] = Math.max(most[kind], ++running[kind]);
      await reach?.(5);
      await new Promise(setImmediate);
      running[kind]--;
      return { end: { call: id, event_id: id, violations: [] }, replayed: false };
    };
    const rooms = { of: () => ({ reachUnpacked: (bytes: number) => Promise.resolve(void reached.push(bytes)) }) };
    const entrance = {
      authenticate: () => Promise.resolve({ accountId: 'a', appId: 'b', keyId: 'c' }),
      turn: () => Promise.resolve(() => undefined),
    };
    const controller = new CallEndsController(
      { proxy: { answerLimitBytes: 1_000, maxCompressionRatio: 100 } } as AppConfig,
      {} as Logger,
      entrance as unknown as CallEntrance,
      { record } as unknown as CallEnds,
      rooms as unknown as BodyRooms,
    );
    const body = [1, 2, 3, 4, 5, 6].map((nth) =>
      item({ call: call(nth), ...(nth % 2 === 0 && { content_encoding: 'br' }) }),
    );
    const request = { headers: { 'content-type': 'application/vnd.weir.answers' }, body: Buffer.from(body.join('')) };
    const { answers } = await controller.answers(request as unknown as FastifyRequest);
    expect(answers).toMatchObject([1, 2, 3, 4, 5, 6].map((nth) => ({ call: call(nth), status: 200 })));
    expect(most).toEqual({ plain: 3, packed: 1 });
    expect(reached).toEqual([5, 5, 5, 5, 5, 5]);
  });
});
