import { once } from 'node:events';
import { request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import { WeirError } from '../http/index.js';
import { type AfterWork, BodyRooms, type Senders, keepBodiesInRoom } from './body-limit.js';
import { ReceivedGarbage } from './received-garbage.js';

const ROOM = 400_000;
const LARGE = 100_000;
const STATUS: Readonly<Record<string, number>> = {
  authentication_error: 401,
  not_found: 404,
  invalid_request: 422,
  overloaded: 503,
};
/** A caller with a key is known; `/open` accepts anybody. */
const SENDERS: Senders = {
  wantsCredential: ({ routeOptions: { url } }) => url !== '/open',
  of: ({ headers }) => {
    const [group, member] = String(headers['x-service-key'] ?? '').split('/');
    return Promise.resolve(group === '' ? null : [group!, member ?? '']);
  },
  strangerOf: ({ ip }) => ['', ip],
};

describe('keepBodiesInRoom', () => {
  let server: FastifyInstance;
  let room: BodyRooms;
  let nowMs: number;
  let refused: number;
  let collected: number;
  /** Called with each request; its body is handled after the returned promise is settled. */
  let arrives: (reply: FastifyReply) => Promise<unknown>;
  /** Called after each body was read; the answer is sent after the returned promise is settled. */
  let answers: () => Promise<unknown>;
  let afterWork: AfterWork;
  const clients: ClientRequest[] = [];
  /** The payloads that are being received, by key. */
  const arriving = new Map<string, { receivedEncodedLength?: number }>();

  beforeEach(async () => {
    nowMs = 0;
    collected = 0;
    room = new BodyRooms(ROOM, () => nowMs, new ReceivedGarbage(() => void collected++));
    refused = 0;
    arrives = () => Promise.resolve();
    answers = () => Promise.resolve();
    afterWork = (_client, then) => then();
    server = Fastify({ bodyLimit: 2 * ROOM });
    server.removeAllContentTypeParsers();
    server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    server.setErrorHandler((error: FastifyError, _request, reply) =>
      reply.code(error instanceof WeirError ? STATUS[error.type]! : (error.statusCode ?? 500)).send(),
    );
    server.addHook('onRequest', async (_request, reply) => void (await arrives(reply)));
    keepBodiesInRoom(
      server,
      room,
      SENDERS,
      () => void refused++,
      (client, then) => afterWork(client, then),
    );
    server.addHook('preParsing', ({ headers }, _reply, payload, done) => {
      arriving.set(String(headers['x-service-key']), payload);
      done(null, payload);
    });
    for (const url of ['/', '/open'])
      server.post(url, async ({ body }) => {
        await answers();
        return { bytes: (body as Buffer).length };
      });
    server.post('/unpack', async (each) => {
      await room.of(each)?.reachUnpacked(Number(each.headers['x-unpacked-bytes']));
      await answers();
      return {};
    });
    await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(async () => {
    clients.splice(0).forEach((client) => client.destroy());
    await server.close();
  });

  const open = (headers: Record<string, string | number>, path = '/'): ClientRequest => {
    const { port } = server.server.address() as AddressInfo;
    const type = { 'content-type': 'application/octet-stream' };
    const client = request({ port, host: '127.0.0.1', method: 'POST', path, headers: { ...type, ...headers } });
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
  /** Sends a body; its answer is sent when the returned function is called. */
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
  const untilTaken = async (bytes: number): Promise<void> => {
    while (room.takenBytes !== bytes) await new Promise(setImmediate);
  };
  const untilEmpty = (): Promise<void> => untilTaken(0);
  /** Waits until the server has read this number of bytes of the body with the key `name`. */
  const untilCome = async (name: string, bytes: number): Promise<void> => {
    while ((arriving.get(name)?.receivedEncodedLength ?? 0) < bytes) await new Promise(setImmediate);
  };

  it('refuses a body before reading a byte if no memory is left for it, and accepts it when memory is free again', async () => {
    const ends = [await keep(LARGE, 'a'), await keep(LARGE, 'b'), await keep(LARGE, 'c'), await keep(LARGE, 'd')];
    const late = open({ 'content-length': LARGE, 'x-service-key': 'e' });
    late.flushHeaders();
    expect(await answerOf(late)).toBe(503);
    expect(refused).toBe(1);
    expect(await Promise.all(ends.map((end) => end()))).toEqual([200, 200, 200, 200]);
    await untilEmpty();
    expect(await send(LARGE, 'e')).toBe(200);
  });

  it('reserves a part of the memory for callers other than the one with the largest share', async () => {
    const ends = [await keep(LARGE, 'a'), await keep(LARGE, 'a'), await keep(LARGE, 'a')];
    expect(await send(LARGE, 'a')).toBe(503);
    expect(await send(LARGE, 'b')).toBe(200);
    await Promise.all(ends.map((end) => end()));
  });

  it('refuses a body in very many pieces of a few bytes, each of which takes more memory than its content', async () => {
    const inPieces = (count: number, bytes: number): Promise<number> => {
      const client = open({ 'x-service-key': 'a' });
      for (let sent = 0; sent < count; sent++) client.write(Buffer.alloc(bytes));
      client.end();
      return answerOf(client);
    };
    expect(await inPieces(40_000, 1)).toBe(422);
    await untilEmpty();
    expect(await inPieces(16_384, 1)).toBe(200);
    expect(await inPieces(17_000, 32)).toBe(200);
  });

  it('accepts small bodies even if no memory is left', async () => {
    const end = await keep(ROOM, 'a');
    expect(await send(16_384, 'b')).toBe(200);
    expect(await send(16_385, 'b')).toBe(503);
    await end();
  });

  it('accepts a body larger than all of the memory if nobody else uses any', async () => {
    expect(await send(ROOM + 1, 'a')).toBe(200);
    await untilEmpty();
    const end = await keep(LARGE, 'b');
    expect(await send(ROOM + 1, 'a')).toBe(503);
    await end();
  });

  it('leaves the refusal of a body over the limit to the route, and reserves no memory for it', async () => {
    const end = await keep(LARGE, 'a');
    const tooLarge = open({ 'content-length': 2 * ROOM + 1, 'x-service-key': 'b' });
    tooLarge.flushHeaders();
    expect(await answerOf(tooLarge)).toBe(413);
    expect(room.takenBytes).toBe(LARGE);
    await end();
  });

  it('counts a body of unknown length while it arrives', async () => {
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

  it('releases the memory when clients disconnect while sending', async () => {
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

  it('keeps the memory of a body in use reserved after its client has disconnected', async () => {
    const { promise: left, resolve: onLeft } = Promise.withResolvers<() => void>();
    afterWork = (_client, then) => onLeft(then);
    const leaves = open({ 'content-length': LARGE, 'x-service-key': 'a' });
    answers = () => (leaves.destroy(), left);
    leaves.end(Buffer.alloc(LARGE));
    const judged = await left;
    expect(room.takenBytes).toBe(LARGE);
    judged();
    expect(room.takenBytes).toBe(0);
  });

  it('reserves no memory for a client that disconnected before its body was handled', async () => {
    const [arrived, looked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    arrives = async ({ raw }) => {
      arrived.resolve();
      await once(raw, 'close');
      setImmediate(looked.resolve);
    };
    const leaves = open({ 'content-length': LARGE, 'x-service-key': 'a' });
    leaves.flushHeaders();
    await arrived.promise;
    leaves.destroy();
    await looked.promise;
    expect(room.takenBytes).toBe(0);
    expect(refused).toBe(0);
  });

  /** Begins to send a body, and waits until memory is reserved for it. */
  const begin = async (bytes: number, key: string, path = '/'): Promise<ClientRequest> => {
    const before = room.takenBytes;
    const client = open({ 'content-length': bytes, ...(key === '' ? {} : { 'x-service-key': key }) }, path);
    client.write(Buffer.alloc(1));
    while (room.takenBytes === before) await new Promise(setImmediate);
    return client;
  };

  it('does not read large bodies without a credential, with or without a content length, but reads small ones', async () => {
    const announced = open({ 'content-length': LARGE });
    announced.flushHeaders();
    expect(await answerOf(announced)).toBe(401);
    const grows = open({ 'transfer-encoding': 'chunked' });
    const answer = answerOf(grows);
    grows.write(Buffer.alloc(LARGE));
    expect(await answer).toBe(401);
    expect(room.takenBytes).toBe(0);
    const small = open({ 'content-length': 16_384 });
    small.end(Buffer.alloc(16_384));
    expect(await answerOf(small)).toBe(200);
  });

  it('limits callers without a credential to a separate part, on routes that accept them', async () => {
    await begin(ROOM / 8, '', '/open');
    const late = open({ 'content-length': 20_000 }, '/open');
    late.flushHeaders();
    expect(await answerOf(late)).toBe(503);
    expect(await send(ROOM, 'a')).toBe(200);
  });

  it('reserves no memory for a request without a route', async () => {
    const lost = open({ 'content-length': LARGE, 'x-service-key': 'a' }, '/nowhere');
    lost.flushHeaders();
    expect(await answerOf(lost)).toBe(404);
  });

  it('cancels the slowest bodies first, and only as many as a new body needs', async () => {
    const slow = await begin(LARGE, 'a');
    const slower = await begin(2 * LARGE, 'b');
    const quick = await begin(LARGE, 'c');
    const [ofSlow, ofSlower] = [answerOf(slow), answerOf(slower)];
    // Each body is expected to arrive within fifteen seconds.
    slow.write(Buffer.alloc(LARGE / 10));
    quick.write(Buffer.alloc(LARGE / 2));
    await untilCome('a', LARGE / 10);
    await untilCome('c', LARGE / 2);
    nowMs = 2_000;
    expect(await send(LARGE, 'd')).toBe(503);
    nowMs = 6_000;
    expect(await send(LARGE, 'd')).toBe(200);
    expect(await ofSlower).toBe(503);
    await untilTaken(2 * LARGE);
    quick.end(Buffer.alloc(LARGE / 2 - 1));
    expect(await answerOf(quick)).toBe(200);
    slow.end(Buffer.alloc(LARGE - LARGE / 10 - 1));
    expect(await ofSlow).toBe(200);
  });

  it('keeps the memory of a complete body, however long it is in use', async () => {
    const end = await keep(ROOM, 'a');
    nowMs = 3_600_000;
    expect(await send(LARGE, 'b')).toBe(503);
    expect(await end()).toBe(200);
  });

  it('collects the chunks of bodies for which there is no memory', async () => {
    const end = await keep(ROOM, 'a');
    for (let body = 0; body < 84; body++) expect(await send(LARGE, 'b')).toBe(503);
    await end();
    expect(collected).toBe(1);
  });

  it('collects the chunks of bodies of requests that are refused before', async () => {
    arrives = () => Promise.reject(new WeirError('authentication_error'));
    for (let body = 0; body < 84; body++) expect(await send(LARGE, 'a')).toBe(401);
    expect(collected).toBe(1);
  });

  describe('of unpacked content', () => {
    /** Sends a body that is unpacked; its answer is sent when the returned function is called. */
    const unpack = async (bytes: number, unpacked: number, key: string): Promise<() => Promise<number>> => {
      const { promise: read, resolve: onRead } = Promise.withResolvers<void>();
      const { promise: goOn, resolve: release } = Promise.withResolvers<void>();
      answers = () => (onRead(), goOn);
      const headers = { 'content-length': bytes, 'x-service-key': key, 'x-unpacked-bytes': unpacked };
      const client = open(headers, '/unpack');
      client.end(Buffer.alloc(bytes));
      const answer = answerOf(client);
      await Promise.race([read, answer]);
      answers = () => Promise.resolve();
      return () => (release(), answer);
    };

    it.each([100, LARGE])('counts it with its packed body of %i bytes until the answer has ended', async (bytes) => {
      const end = await unpack(bytes, ROOM - 2 * LARGE, 'a');
      expect(room.takenBytes).toBe(bytes + ROOM - 2 * LARGE);
      expect(await send(ROOM, 'b')).toBe(503);
      expect(await end()).toBe(200);
      await untilEmpty();
    });

    it('is refused if there is no memory for it', async () => {
      const end = await keep(ROOM - LARGE, 'a');
      const refusal = await unpack(100, 2 * LARGE, 'b');
      expect(await refusal()).toBe(503);
      const accepted = await unpack(100, LARGE / 2, 'b');
      expect(await accepted()).toBe(200);
      await end();
    });

    it('is not counted if it is small', async () => {
      const end = await unpack(100, 16_284, 'a');
      expect(room.takenBytes).toBe(0);
      expect(await end()).toBe(200);
    });

    it('keeps its memory, however long it is in use', async () => {
      const end = await unpack(LARGE, ROOM - LARGE, 'a');
      nowMs = 3_600_000;
      expect(await send(LARGE, 'b')).toBe(503);
      expect(await end()).toBe(200);
    });
  });

  it('cancels a stalled body of unknown length after its time limit', async () => {
    const stalls = open({ 'transfer-encoding': 'chunked', 'x-service-key': 'a' });
    const answer = answerOf(stalls);
    stalls.write(Buffer.alloc(ROOM));
    await untilTaken(ROOM);
    nowMs = 15_000;
    expect(await send(LARGE, 'b')).toBe(503);
    nowMs = 15_001;
    expect(await send(LARGE, 'b')).toBe(200);
    expect(await answer).toBe(503);
  });
});
