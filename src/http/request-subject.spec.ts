import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { loggedIdOf, settleRequestId } from './request-id.js';
import { noteSubject, subjectOf } from './request-subject.js';

/** Answers with the id and the fields of the log line, before and after the id is settled. */
function answer(request: FastifyRequest, reply: FastifyReply): void {
  const before = subjectOf(request);
  noteSubject(request, { appId: 'app' });
  noteSubject(request, { eventId: 'event' });
  const ids = [loggedIdOf(request), loggedIdOf(request)];
  settleRequestId(request, reply, 'settled');
  void reply.send({ before, ids, settled: loggedIdOf(request), subject: subjectOf(request) });
}

interface Answer {
  readonly before: unknown;
  readonly ids: readonly [string, string];
  readonly settled: string;
  readonly subject: unknown;
}

describe('The fields of a log line', () => {
  it.each([
    ['a route', '/'],
    ['a request that Fastify makes for its own error', '/%zz'],
  ])('belong to one request: %s', async (_name, url) => {
    const server = fastify({
      genReqId: () => 'sent by the client',
      frameworkErrors: (_error, request, reply) =>
        answer(request as unknown as FastifyRequest, reply as unknown as FastifyReply),
    });
    server.get('/', answer);
    const ask = async (): Promise<Answer> => (await server.inject({ url })).json();
    const [first, second] = [await ask(), await ask()];
    for (const { before, ids, settled, subject } of [first, second]) {
      expect(before).toEqual({});
      expect(subject).toEqual({ appId: 'app', eventId: 'event' });
      expect([ids[1], settled]).toEqual([ids[0], 'settled']);
    }
    expect(new Set(['sent by the client', first.ids[0], second.ids[0]]).size).toBe(3);
    await server.close();
  });
});
