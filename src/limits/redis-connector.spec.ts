import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { NameLookups } from '../resilience/index.js';
import { redisConnector } from './redis-connector.js';

describe('A connection to Redis', () => {
  let server: Server;
  let connections = 0;
  let lookups: [name: string, end: () => void][];
  let redis: Redis;
  beforeEach(async () => {
    connections = 0;
    lookups = [];
    server = createServer((socket) => {
      connections += 1;
      socket.on('error', () => undefined).resume();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const names = new NameLookups(3, {
      resolve: (name, _options, answer) =>
        void lookups.push([name, () => answer(null, [{ address: '127.0.0.1', family: 4 }])]),
    });
    redis = new Redis({
      host: 'redis.test',
      port: (server.address() as AddressInfo).port,
      Connector: redisConnector(2_000, names),
      lazyConnect: true,
      enableReadyCheck: false,
      retryStrategy: () => null,
    });
    redis.on('error', () => undefined);
  });
  afterEach(() => {
    redis.disconnect();
    server.close();
  });

  it('is opened to a name that is looked up with the others of this process', async () => {
    const connected = once(redis, 'connect');
    void redis.connect().catch(() => undefined);
    while (lookups.length === 0) await nextTurn();
    expect(lookups.map(([name]) => name)).toEqual(['redis.test']);
    lookups[0]?.[1]();
    await connected;
    expect(redis.status).toBe('connect');
  });

  it('is not opened if it is closed before that', async () => {
    const connecting = redis.connect();
    redis.disconnect();
    await expect(connecting).rejects.toThrow('Connection is closed.');
    expect([lookups, connections]).toEqual([[], 0]);
  });
});
