import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import { BodyRoom, keepBodiesInRoom } from './body-room.js';
import { WeirError } from './weir-error.js';

const ROOM = 400_000;
const LARGE = 100_000;

describe('Room for bodies', () => {
  let server: FastifyInstance;
  let room: BodyRoom;
  let refused: number;
  /** Called with each body that was read; the answer waits for what it returns. */
  let answers: () => Promise<unknown>;
  const clients: ClientRequest[] = [];

  beforeEach(async () => {
    room = new BodyRoom(ROOM);
    refused = 0;
    answers = () => Promise.resolve();
    server = Fastify({ bodyLimit: 2 * ROOM });
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    server.setErrorHandler((error: FastifyError, _request, reply) =>
      reply.code(error instanceof WeirError ? 503 : (error.statusCode ?? 500)).send(),
    );
    keepBodiesInRoom(server, room, () => void refused++);
    server.post('/', async ({ body }) => {
      await answers();
      return { bytes: (body as Buffer).length };
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(async () => {
    clients.splice(0).forEach((client) => client.destroy());
    await server.close();
  });

  const open = (headers: Record<string, string | number>): ClientRequest => {
    const { port } = server.server.address() as AddressInfo;
    const type = { 'content-type': 'application/octet-stream' };
    const client = request({ port, host: '127.0.0.1', method: 'POST', headers: { ...type, ...headers } });
    client.on('error', () => undefined);
    clients.push(client);
    return client;
  };
  const answerOf = async (client: ClientRequest): Promise<number> => {
    const [answer] = (await once(client, 'response')) as [IncomingMessage];
    answer.resume();
    await once(answer, 'end');
    return answer.statusCode!;
  };
  /** Sends a body whose answer waits. */
  const keep = async (bytes: number, key: string): Promise<() => Promise<number>> => {
    const { promise: read, resolve: onRead } = Promise.withResolvers<void>();
    const { promise: goOn, resolve: release } = Promise.withResolvers<void>();
    answers = () => (onRead(), goOn);
    const client = open({ 'content-length': bytes, 'x-service-key': key });
    client.end(Buffer.alloc(bytes));
    await read;
    answers = () => Promise.resolve();
    const answer = answerOf(client);
    return () => (release(), answer);
  };
  const send = (bytes: number, key: string): Promise<number> => {
    const client = open({ 'content-length': bytes, 'x-service-key': key });
    client.end(Buffer.alloc(bytes));
    return answerOf(client);
  };
  const untilEmpty = async (): Promise<void> => {
    while (room.takenBytes > 0) await new Promise(setImmediate);
  };

  it('refuses what it has no room for before a byte of it has come, and takes it again afterwards', async () => {
    const ends = [await keep(LARGE, 'a'), await keep(LARGE, 'b'), await keep(LARGE, 'c'), await keep(LARGE, 'd')];
    const late = open({ 'content-length': LARGE, 'x-service-key': 'e' });
    late.flushHeaders();
    expect(await answerOf(late)).toBe(503);
    expect(refused).toBe(1);
    expect(await Promise.all(ends.map((end) => end()))).toEqual([200, 200, 200, 200]);
    await untilEmpty();
    expect(await send(LARGE, 'e')).toBe(200);
  });

  it('leaves a part to others than the one who has most of it', async () => {
    const ends = [await keep(LARGE, 'a'), await keep(LARGE, 'a'), await keep(LARGE, 'a')];
    expect(await send(LARGE, 'a')).toBe(503);
    expect(await send(LARGE, 'b')).toBe(200);
    await Promise.all(ends.map((end) => end()));
  });

  it('takes small bodies however little room there is', async () => {
    const end = await keep(ROOM, 'a');
    expect(await send(16_384, 'b')).toBe(200);
    expect(await send(16_385, 'b')).toBe(503);
    await end();
  });

  it('takes a body that is larger than all room when nobody else has any of it', async () => {
    expect(await send(ROOM + 1, 'a')).toBe(200);
    await untilEmpty();
    const end = await keep(LARGE, 'b');
    expect(await send(ROOM + 1, 'a')).toBe(503);
    await end();
  });

  it('leaves a body that no route takes to whoever says so, and gives it no room', async () => {
    const end = await keep(LARGE, 'a');
    const tooLarge = open({ 'content-length': 2 * ROOM + 1, 'x-service-key': 'b' });
    tooLarge.flushHeaders();
    expect(await answerOf(tooLarge)).toBe(413);
    expect(room.takenBytes).toBe(LARGE);
    await end();
  });

  it('counts a body of unknown length as it comes', async () => {
    const end = await keep(ROOM - LARGE, 'a');
    const grows = open({ 'transfer-encoding': 'chunked', 'x-service-key': 'b' });
    const answer = answerOf(grows);
    grows.write(Buffer.alloc(LARGE / 2));
    while (room.takenBytes < ROOM - LARGE / 2) await new Promise(setImmediate);
    grows.write(Buffer.alloc(LARGE));
    expect(await answer).toBe(503);
    grows.destroy();
    await end();
    const fits = open({ 'transfer-encoding': 'chunked', 'x-service-key': 'b' });
    fits.write(Buffer.alloc(LARGE));
    fits.end();
    expect(await answerOf(fits)).toBe(200);
  });

  it('has all its room again when clients leave while they send', async () => {
    const leaves = open({ 'content-length': LARGE, 'x-service-key': 'a' });
    leaves.write(Buffer.alloc(LARGE / 2));
    const unknown = open({ 'transfer-encoding': 'chunked', 'x-service-key': 'b' });
    unknown.write(Buffer.alloc(LARGE / 2));
    while (room.takenBytes < LARGE * 1.5) await new Promise(setImmediate);
    leaves.destroy();
    unknown.destroy();
    await untilEmpty();
    expect(await send(LARGE, 'c')).toBe(200);
  });
});
