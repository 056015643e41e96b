import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventStreamsController } from './event-streams.controller.js';

type Parts = ConstructorParameters<typeof EventStreamsController>;

/** A controller whose clients belong to the account that their request names. */
function server() {
  const access = { authorize: ({ headers }: FastifyRequest) => Promise.resolve({ accountId: headers['x-account'] }) };
  const reader = { idsFrom: () => Promise.resolve([]) };
  const streams = new EventStreamsController(
    access as unknown as Parts[0],
    reader as unknown as Parts[1],
    {} as Parts[2],
    {} as Parts[3],
    { nowMs: () => 0 } as Parts[4],
  );
  /** Connects a tail. @returns a function that disconnects it */
  const connect = async (account: string, destroyed = false): Promise<() => void> => {
    const raw = Object.assign(new EventEmitter(), { destroyed });
    const reply = { raw, type: (): unknown => reply, header: (): unknown => reply, send: () => Promise.resolve() };
    const request = { headers: { 'x-account': account }, query: {} };
    await streams.tail(request as unknown as FastifyRequest, reply as unknown as FastifyReply);
    return () => void raw.emit('close');
  };
  const connectAll = async (account: string, count: number): Promise<(() => void)[]> =>
    Promise.all(Array.from({ length: count }, () => connect(account)));
  return { connect, connectAll };
}

const refusedWith = (message: string) => ({ type: 'rate_limit_exceeded', message, options: { retryAfterSeconds: 10 } });
const OWN_LIMIT = refusedWith('This account has 50 open event streams on this server, which is its limit');
const SHARED_LIMIT = refusedWith(
  'All accounts together have 100 open event streams on this server, which is its limit',
);

describe('The live stream of events', () => {
  it('is open to other accounts while one account has as many streams as it may have', async () => {
    const { connect, connectAll } = server();
    await connectAll('loud', 50);
    await expect(connect('loud')).rejects.toMatchObject(OWN_LIMIT);
    await expect(connect('quiet')).resolves.toBeDefined();
  });

  it('is refused with the limit of the server when all accounts together have too many streams', async () => {
    const { connect, connectAll } = server();
    for (const account of ['one', 'two']) await connectAll(account, 50);
    await expect(connect('three')).rejects.toMatchObject(SHARED_LIMIT);
  });

  it('is not kept for clients that disconnected before their stream began', async () => {
    const { connect } = server();
    for (let client = 0; client < 50; client++) await connect('hasty', true);
    await expect(connect('hasty')).resolves.toBeDefined();
  });

  it('is open again once a client of the account, or of the server, has disconnected', async () => {
    const { connect, connectAll } = server();
    const [disconnect] = await connectAll('one', 50);
    const [disconnectOther] = await connectAll('two', 50);
    disconnect?.();
    disconnect?.();
    await connect('one');
    await expect(connect('one')).rejects.toMatchObject(OWN_LIMIT);
    disconnectOther?.();
    await connect('three');
    await expect(connect('three')).rejects.toMatchObject(SHARED_LIMIT);
  });
});
