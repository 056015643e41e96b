import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { freePort } from '../../test/support/server-process.js';
import { loadConfig } from '../config/index.js';
import { NameLookups } from '../resilience/index.js';
import { neverSent, NoConnection, UpstreamClient, type UpstreamRequest } from './upstream-client.js';

const REQUEST: Omit<UpstreamRequest, 'baseUrl'> = {
  accountId: 'one',
  path: '/v1/models',
  method: 'GET',
  headers: [],
  body: undefined,
  signal: new AbortController().signal,
};

describe('A provider that accepts no connection', () => {
  it.each(['http', 'https'])('is unreachable over %s: only the call fails', async (scheme) => {
    const client = new UpstreamClient(loadConfig({}, () => '').proxy);
    try {
      const call = client.send({
        ...REQUEST,
        baseUrl: `${scheme}://127.0.0.1:${await freePort()}`,
      });
      await expect(call).rejects.toMatchObject({ type: 'upstream_unreachable' });
    } finally {
      await client.close();
    }
  });
});

describe('A call that fails', () => {
  const failure = async (scheme: 'http' | 'https', server: Server): Promise<unknown> => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = new UpstreamClient(loadConfig({}, () => '').proxy);
    try {
      const baseUrl = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`;
      return await client.send({ ...REQUEST, baseUrl }).catch((error: unknown) => error);
    } finally {
      await client.close();
      server.close();
    }
  };

  it.each([
    ['has a self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT', () => createTlsServer(selfSigned())],
    ['breaks off the handshake', 'ECONNRESET', () => reactingServer((socket) => socket.resetAndDestroy())],
    [
      'does not understand TLS',
      'ERR_SSL_WRONG_VERSION_NUMBER',
      () => reactingServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    ],
  ])('was never sent if the provider %s', async (_, code, server) => {
    const error = await failure('https', server());
    expect(error).toMatchObject({ type: 'upstream_unreachable', cause: { code } });
    expect(neverSent(error)).toBe(true);
  });

  it('may have been sent if the connection broke after the request was written', async () => {
    const server = reactingServer((socket) => socket.resetAndDestroy());
    const error = await failure('http', server);
    expect(error).toMatchObject({ type: 'upstream_unreachable', cause: { code: 'ECONNRESET' } });
    expect(neverSent(error)).toBe(false);
  });
});

describe('A provider that sends interim responses', () => {
  const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
  let finish: () => void = () => undefined;
  /** At `/endless/v1/models`, a provider that never sends anything else; elsewhere, an answer whose end waits for `finish`. */
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (request: Buffer) => {
      socket.write(HINTS);
      if (request.toString('latin1').includes('/endless/')) {
        const drip = setInterval(() => socket.write(HINTS), 1);
        socket.once('close', () => clearInterval(drip));
      } else {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\npart');
        finish = () => socket.write('part');
      }
    });
  });
  const client = new UpstreamClient(loadConfig({ WEIR_UPSTREAM_HEADERS_TIMEOUT: '1s' }, () => '').proxy);
  const send = (prefix: string) =>
    client.send({ ...REQUEST, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}` });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    await client.close();
    server.close();
  });

  it('has to begin its answer within the time limit, and may take longer for the rest', async () => {
    const begun = await send('');
    // The limit of the later call ends after that of the first one.
    await expect(send('/endless')).rejects.toMatchObject({ type: 'upstream_timeout' });
    finish();
    let text = '';
    for await (const piece of begun.body as AsyncIterable<Buffer>) text += piece.toString('latin1');
    expect(text).toBe('partpart');
  });
});

describe('A provider that closes the connection after its answer', () => {
  it.each([1, 8_192, 300_000])(
    'has its answer of %i bytes read completely, however late the reader is',
    async (length) => {
      const body = 'x'.repeat(length);
      const server = createServer((socket) => {
        socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n${body}`));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const ended = once(server, 'connection').then(([socket]) => once(socket as Socket, 'finish'));
      const client = new UpstreamClient(loadConfig({}, () => '').proxy);
      try {
        const { body: answer } = await client.send({
          ...REQUEST,
          baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
        });
        await ended;
        // Once this second, later connection has been opened and closed, the end of the first one has arrived as well.
        await reached(server.address() as AddressInfo);
        let text = '';
        for await (const piece of answer as AsyncIterable<Buffer>) text += piece.toString('latin1');
        expect(text).toBe(body);
      } finally {
        await client.close();
        server.close();
      }
    },
  );
});

describe('The connections to a provider', () => {
  /** A provider that answers with the first part of a body. */
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart'));
  });
  let client: UpstreamClient;
  const send = (accountId: string, signal = REQUEST.signal, prefix = '') =>
    client.send({
      ...{ ...REQUEST, accountId, signal },
      baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    });
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());
  const clientThatWaits = (waitMs: number): UpstreamClient =>
    new UpstreamClient(loadConfig({}, () => '').proxy, { all: 3, ofAccount: 2, waitMs });
  beforeEach(() => {
    client = clientThatWaits(60_000);
  });
  afterEach(() => client.close());

  it('are left to other accounts while one account has as many as it may have', async () => {
    const [first] = await Promise.all([send('loud'), send('loud', REQUEST.signal, '/prefix')]);
    const waiting = send('loud');
    const other = await send('quiet');
    expect(other.status).toBe(200);
    first.body.destroy();
    expect((await waiting).status).toBe(200);
  });

  it('are not waited for by a call that ends', async () => {
    await Promise.all([send('loud'), send('loud')]);
    const end = new AbortController();
    const waiting = send('loud', end.signal);
    end.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
  });

  it('are refused if none becomes free', async () => {
    await client.close();
    client = clientThatWaits(1);
    await Promise.all([send('loud'), send('loud')]);
    await expect(send('loud')).rejects.toBeInstanceOf(NoConnection);
  });

  it('are free again after calls that failed or were read', async () => {
    const ended = new AbortController();
    ended.abort(new Error('gone'));
    for (let time = 0; time < 3; time++) await expect(send('loud', ended.signal)).rejects.toThrow('gone');
    const answers = await Promise.all([send('loud'), send('loud')]);
    for (const { body } of answers) body.destroy();
    expect(await Promise.all([send('loud'), send('loud')])).toHaveLength(2);
  });
});

describe('A provider with a slow name', () => {
  it('has its name looked up once for all calls that connect to it', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n'));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const lookups: (() => void)[] = [];
    const names = new NameLookups(4, {
      resolve: (_name, _options, answer) =>
        void lookups.push(() => answer(null, [{ address: '127.0.0.1', family: 4 }])),
    });
    const limits = { all: 100, ofAccount: 100, waitMs: 60_000 };
    const client = new UpstreamClient(loadConfig({}, () => '').proxy, limits, names);
    const baseUrl = `http://provider.test:${(server.address() as AddressInfo).port}`;
    try {
      const calls = Array.from({ length: 100 }, () => client.send({ ...REQUEST, baseUrl }));
      const statuses = Promise.all(calls.map(async (call) => (await call).status)).catch(() => 'unreachable');
      expect(lookups).toHaveLength(1);
      lookups[0]?.();
      expect(await statuses).toEqual(calls.map(() => 204));
      expect(lookups).toHaveLength(1);
    } finally {
      await client.close();
      server.close();
    }
  });
});

async function reached({ port }: AddressInfo): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
  await once(socket, 'close');
}

/** A provider that reacts to the first bytes of a connection. */
describe('An answer with a repeated header about its body', () => {
  const answered = async (lines: readonly string[]): Promise<unknown> => {
    const head = ['HTTP/1.1 200 OK', ...lines, 'content-length: 2', '', '{}'].join('\r\n');
    const server = reactingServer((socket) => socket.end(head)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = new UpstreamClient(loadConfig({}, () => '').proxy);
    try {
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { headers } = await client.send({ ...REQUEST, baseUrl });
      return [headers['content-type'], headers['content-encoding']];
    } catch (error) {
      return error;
    } finally {
      await client.close();
      server.close();
    }
  };
  const json = 'content-type: application/json';

  it('has one content type if all lines are equal, and the list of all content codings', async () => {
    expect(await answered([json, json])).toEqual(['application/json', undefined]);
    expect(await answered(['content-encoding: gzip', json, 'Content-Encoding: br'])).toEqual([
      'application/json',
      'gzip, br',
    ]);
  });

  it('is refused for two content types: a client could read another answer than the judged one', async () => {
    const error = await answered([json, 'content-type: text/event-stream']);
    expect(error).toMatchObject({ type: 'upstream_unreachable', options: { retryHelps: false } });
    expect(neverSent(error)).toBe(false);
  });
});

function reactingServer(react: (socket: Socket) => void): Server {
  return createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => react(socket));
  });
}

/** A certificate that its own key has signed. */
function selfSigned(): { readonly key: string; readonly cert: string } {
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      ...{ kty: 'EC', crv: 'P-256' },
      x: 'BcWrpMnMgEUDy9RhxeT2olxJ-V_kIEe05akNs7tIRb4',
      y: '61G0xBNWV8QEGThlCWXu3IajfQuXSNutxdj2f-3Pxn8',
      d: ['2hn1PXyHIeXUakP1tkx', 'gnOK4tFJYOEz0RH2xQyzKh9c'].join(''),
    },
  });
  const certificate = [
    'MIIBhzCCAS2gAwIBAgIUFFCUFCdsfSywKhezvB3jIKw9LFgwCgYIKoZIzj0EAwIwGDEWMBQGA1UEAwwNcHJvdmlkZXIudGVzdDAg',
    'Fw0yNjExMzAyMjUwNDhaGA8yMTI2MTEwNjIyNTA0OFowGDEWMBQGA1UEAwwNcHJvdmlkZXIudGVzdDBZMBMGByqGSM49AgEGCCqG',
    'SM49AwEHA0IABAXFq6TJzIBFA8vUYcXk9qJcSflf5CBHtOWpDbO7SEW+61G0xBNWV8QEGThlCWXu3IajfQuXSNutxdj2f+3Pxn+j',
    'UzBRMB0GA1UdDgQWBBSH/Mj0JwIVfIZRYXNRN7aHbETDiTAfBgNVHSMEGDAWgBSH/Mj0JwIVfIZRYXNRN7aHbETDiTAPBgNVHRMB',
    'Af8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIArP2mgrUQk+lXgNU3S47VVz+9uz1ire0gtUhphKE2nUAiEArg4EQksb5sIIbU7J',
    'EdGx2K3/tC+7KpX378Taols1qmY=',
  ];
  return {
    key: key.export({ format: 'pem', type: 'pkcs8' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${certificate.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
