import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NameLookups } from '../../resilience/index.js';
import { POSTGRES_DEFAULTS } from '../database-options.js';
import { DatabaseSocket } from './database-socket.js';
import { poolConfig } from './pool-config.js';

describe('A connection to PostgreSQL', () => {
  let server: Server;
  beforeEach(() => {
    server = createServer((socket) => void socket.on('error', () => undefined));
  });
  afterEach(() => void server.close());

  it('is opened to a name that is looked up once for all connections', async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const lookups: [name: string, end: () => void][] = [];
    const names = new NameLookups(3, {
      resolve: (name, _options, answer) =>
        void lookups.push([name, () => answer(null, [{ address: '127.0.0.1', family: 4 }])]),
    });
    const sockets = [1, 2, 3].map(() => new DatabaseSocket(5_000, names).connect(port, 'database.test'));
    expect(lookups.map(([name]) => name)).toEqual(['database.test']);
    const connected = Promise.all(sockets.map((socket) => once(socket, 'connect')));
    lookups[0]?.[1]();
    await connected;
    for (const socket of sockets) socket.destroy();
  });

  it('is opened to a Unix socket by its path', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-socket-'));
    try {
      const path = join(folder, '.s.PGSQL.5432');
      server.listen(path);
      await once(server, 'listening');
      const socket = new DatabaseSocket(5_000).connect(path, undefined);
      await once(socket, 'connect');
      socket.destroy();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('is opened in this way by every pool', () => {
    const options = { ...POSTGRES_DEFAULTS, databaseUrl: 'postgres://database.test/weir', poolSize: 2 };
    const socket = poolConfig(options, () => Promise.resolve()).stream?.();
    expect(socket).toBeInstanceOf(DatabaseSocket);
    socket?.destroy();
  });
});
