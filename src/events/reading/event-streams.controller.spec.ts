import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EventStreamsController } from './event-streams.controller.js';

type Parts = ConstructorParameters<typeof EventStreamsController>;

/** A controller whose clients belong to the account that their request names. */
function server() {
  const access = {
    authorize: ({ headers }: FastifyRequest) => Promise.resolve({ accountId: headers['x-account'] }),
    whileAllowed: (_request: unknown, _scope: unknown, pieces: unknown) => pieces,
  };
  const page = { data: [], nextCursor: null, searchedTo: null };
  const replica = { upTo: () => Promise.resolve({ list: () => Promise.resolve(page) }) };
  const reader = {};
  const streams = new EventStreamsController(
    access as unknown as Parts[0],
    reader as unknown as Parts[1],
    replica as unknown as Parts[2],
    {} as Parts[3],
    { nowMs: () => 0 } as Parts[4],
  );
  const open = async (of: 'tail' | 'export', account: string, destroyed: boolean): Promise<() => void> => {
    const raw = Object.assign(new EventEmitter(), { destroyed });
    const reply = { raw, type: (): unknown => reply, header: (): unknown => reply, send: () => Promise.resolve() };
    const request = { headers: { 'x-account': account }, query: {} };
    await streams[of](request as unknown as FastifyRequest, reply as unknown as FastifyReply);
    return () => void raw.emit('close');
  };
  /** Connects a tail. @returns a function that disconnects it */
  const connect = (account: string, destroyed = false): Promise<() => void> => open('tail', account, destroyed);
  /** Begins an export. @returns a function that ends its connection */
  const exportTo = (account: string): Promise<() => void> => open('export', account, false);
  const connectAll = async (account: string, count: number): Promise<(() => void)[]> =>
    Promise.all(Array.from({ length: count }, () => connect(account)));
  return { connect, connectAll, exportTo };
}

const refusedWith = (message: string) => ({ type: 'rate_limit_exceeded', message, options: { retryAfterSeconds: 10 } });
const OWN_LIMIT = refusedWith('This account has 50 open event streams on this server, which is its limit');
const SHARED_LIMIT = refusedWith(
  'All accounts together have 100 open event streams on this server, which is its limit',
);

describe('The export of events', () => {
  it('is refused while an account, or all accounts together, have as many exports as they may have', async () => {
    const { exportTo, connect } = server();
    const refused = (message: string) => refusedWith(`${message} on this server, which is its limit`);
    const ends = await Promise.all(Array.from({ length: 10 }, () => exportTo('loud')));
    await expect(exportTo('loud')).rejects.toMatchObject(refused('This account has 10 open exports'));
    await expect(connect('loud')).resolves.toBeDefined();
    await Promise.all(Array.from({ length: 10 }, () => exportTo('other')));
    await expect(exportTo('quiet')).rejects.toMatchObject(refused('All accounts together have 20 open exports'));
    ends[0]?.();
    await expect(exportTo('quiet')).resolves.toBeDefined();
  });
});

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
