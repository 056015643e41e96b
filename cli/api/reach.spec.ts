import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { runWeir } from '../../test/support/run-weir.js';

/** The last line of `weir whoami` against a server that is there for it alone. */
async function said(server: Server, urlOf: (port: number) => string, token = ''): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    const { port } = server.address() as AddressInfo;
    const { stderr } = await runWeir(['whoami', '--url', urlOf(port)], { env: { WEIR_TOKEN: token } });
    return stderr.trimEnd().replaceAll(String(port), 'PORT');
  } finally {
    server.close();
  }
}

const web = (): Server =>
  createHttpServer((_request, response) => {
    response.statusCode = 401;
    response.setHeader('content-type', 'application/json');
    response.end('{"error":{"type":"authentication_error","message":"There is no valid management token or session"}}');
  });

describe('a server that cannot be talked to', () => {
  it('is said to speak no TLS where the URL asks for it', async () => {
    const text = await said(web(), (port) => `https://127.0.0.1:${port}`);
    expect(text).toContain('what answers there speaks no TLS; is it http://127.0.0.1:PORT?');
  });

  it('is never said to speak no TLS where it does, so that nobody sends a token in the clear', async () => {
    const refusal = Buffer.from([0x15, 3, 3, 0, 2, 2, 40]);
    const strict = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(refusal));
    });
    const text = await said(strict, (port) => `https://127.0.0.1:${port}`);
    expect(text).toContain('cannot be reached: ERR_SSL_');
    expect(text).not.toContain('http://');
  });

  it('is said to be no Weir server where something else answers', async () => {
    const other = createServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
    const text = await said(other, (port) => `http://127.0.0.1:${port}`);
    expect(text).toContain('what answers there is no Weir server; is the port right?');
  });

  it('is said to be named by the beginning of the URL alone', async () => {
    const text = await said(web(), (port) => `http://127.0.0.1:${port}/v1`);
    expect(text).toContain("write the server's URL without /v1: http://127.0.0.1:PORT");
  });

  it('may be below a path of a gateway', async () => {
    const text = await said(web(), (port) => `http://127.0.0.1:${port}/api/weir`);
    expect(text).toContain('exit 4: no token was given');
  });

  it('is said to want another kind of credential than an API key', async () => {
    const key = ['sk', 'live', `wr1_${'a'.repeat(50)}`].join('_');
    const text = await said(web(), (port) => `http://127.0.0.1:${port}`, key);
    expect(text).toContain('an API key was given, and commands take a management token (wt_live_…)');
    expect(text).not.toContain('aaaa');
  });
});
