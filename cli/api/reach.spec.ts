import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { runWeir } from '../../test/support/run-weir.js';
import { unreachable } from './unreachable.js';

/** Runs a command (default: `weir whoami`) against a server started only for this run; returns the stderr of the command. */
async function said(
  server: Server,
  urlOf: (port: number) => string,
  token = '',
  argv: readonly string[] = ['whoami'],
  signal = new AbortController().signal,
): Promise<string> {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    const { port } = server.address() as AddressInfo;
    const { stderr } = await runWeir([...argv, '--url', urlOf(port)], { env: { WEIR_TOKEN: token }, signal });
    return stderr.trimEnd().replaceAll(String(port), 'PORT');
  } finally {
    if ('closeAllConnections' in server) (server as HttpServer).closeAllConnections();
    server.close();
  }
}

const web = (): Server =>
  createHttpServer((_request, response) => {
    response.statusCode = 401;
    response.setHeader('content-type', 'application/json');
    response.end('{"error":{"type":"authentication_error","message":"There is no valid management token or session"}}');
  });

describe('Error messages for a server', () => {
  it('suggest http if the server does not use TLS', async () => {
    const text = await said(web(), (port) => `https://127.0.0.1:${port}`);
    expect(text).toContain('the server there does not use TLS; did you mean http://127.0.0.1:PORT?');
  });

  it('never suggest http if the server uses TLS, so that no token is sent unencrypted', async () => {
    const refusal = Buffer.from([0x15, 3, 3, 0, 2, 2, 40]);
    const strict = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(refusal));
    });
    const text = await said(strict, (port) => `https://127.0.0.1:${port}`);
    expect(text).toContain('cannot be reached: ERR_SSL_');
    expect(text).not.toContain('http://');
  });

  it('report a server that does not use HTTP', async () => {
    const other = createServer((socket) => socket.end('220 mail.example ESMTP\r\n'));
    const text = await said(other, (port) => `http://127.0.0.1:${port}`);
    expect(text).toContain(
      'the server there does not use HTTP; is the port right, or did you mean https://127.0.0.1:PORT?',
    );
  });

  it('suggest https if the server requires TLS, with or without an HTTP response', async () => {
    const silent = createTlsServer((socket) => socket.end());
    silent.on('tlsClientError', () => undefined);
    expect(await said(silent, (port) => `http://127.0.0.1:${port}`)).toContain(
      'or did you mean https://127.0.0.1:PORT?',
    );
    const talking = createHttpServer((_request, response) => {
      response.statusCode = 400;
      response.end('<title>400 The plain HTTP request was sent to HTTPS port</title>');
    });
    expect(await said(talking, (port) => `http://127.0.0.1:${port}`)).toContain(
      'exit 4: the server at http://127.0.0.1:PORT requires TLS: did you mean https://127.0.0.1:PORT?',
    );
  });

  it('name the target of a redirect and say that it receives no credential', async () => {
    const moved = createHttpServer((_request, response) => {
      response.writeHead(302, { location: 'https://login.example/?next=/v1' }).end();
    });
    expect(await said(moved, (port) => `http://127.0.0.1:${port}`)).toContain(
      'exit 4: http://127.0.0.1:PORT redirects to https://login.example; credentials are not sent there',
    );
  });

  it('distinguish the server from a gateway in front of it', async () => {
    const gateway = createHttpServer((_request, response) => {
      response.writeHead(502, { 'retry-after': '60' }).end('<html>Bad Gateway</html>');
    });
    expect(await said(gateway, (port) => `http://127.0.0.1:${port}`)).toContain(
      'exit 4: a gateway in front of the server answered 502: is the Weir server behind http://127.0.0.1:PORT running?',
    );
    const other = createHttpServer((_request, response) => {
      response.writeHead(404).end('404 page not found');
    });
    expect(await said(other, (port) => `http://127.0.0.1:${port}`)).toContain(
      'http://127.0.0.1:PORT answered 404 without a Weir error message: is it the URL of a Weir server?',
    );
  });

  it.each([
    ['http://127.0.0.1:1', 'exit 4: http://127.0.0.1:1 cannot be reached: HTTP clients do not use port 1'],
    [
      'localhost:8080',
      'exit 2: the server must be a URL such as https://weir.example.com; did you mean http://localhost:8080?',
    ],
    [
      'weir.example.com',
      'exit 2: the server must be a URL such as https://weir.example.com; did you mean https://weir.example.com?',
    ],
    [
      'http://127.0.0.1:99999',
      'exit 2: the server must be a URL such as https://weir.example.com; the highest port is 65535',
    ],
    ['ftp://127.0.0.1', 'exit 2: the server must be a URL such as https://weir.example.com'],
    [
      `https://${['user', 'word'].join(':')}@127.0.0.1`,
      'exit 2: the server URL must not contain a user, password, query or fragment',
    ],
  ])('explain the wrong URL %s', async (url, words) => {
    expect((await runWeir(['whoami', '--url', url])).stderr).toContain(words);
  });

  it.each<[string, Record<string, string>, string]>([
    ['https://weir.example', { HTTPS_PROXY: 'http://proxy.example' }, '; the proxy in HTTPS_PROXY was used, unless'],
    ['http://weir.example', { http_proxy: 'proxy.example:3128' }, '; the proxy in HTTP_PROXY was used, unless'],
    ['https://weir.example', { HTTP_PROXY: 'http://proxy.example' }, '; the proxy in HTTP_PROXY was used, unless'],
    ['http://weir.example', { HTTPS_PROXY: 'http://proxy.example' }, ''],
    [
      'https://weir.example',
      { HTTPS_PROXY: 'http://proxy.example', NODE_USE_ENV_PROXY: '0' },
      '; to use the proxy in HTTPS_PROXY, set NODE_USE_ENV_PROXY=1',
    ],
    [
      'https://weir.example',
      { HTTPS_PROXY: 'socks5://proxy.example' },
      '; HTTPS_PROXY is not the URL of an HTTP proxy',
    ],
    ['https://localhost', { HTTPS_PROXY: 'http://proxy.example' }, ''],
  ])('say whether the proxy of the environment was used: %s with %j', (url, env, words) => {
    const { message } = unreachable(url, Object.assign(new Error('late'), { code: 'ETIMEDOUT' }), env);
    const why = `${url} cannot be reached: the host does not answer (ETIMEDOUT)`;
    expect(message.slice(0, why.length + words.length)).toBe(why + words);
    if (words === '') expect(message).toBe(why);
  });

  it('reject the path of an API route in the URL', async () => {
    const text = await said(web(), (port) => `http://127.0.0.1:${port}/v1`);
    expect(text).toContain("write the server's URL without /v1: http://127.0.0.1:PORT");
  });

  it('do not reject a server below a path of a gateway', async () => {
    const text = await said(web(), (port) => `http://127.0.0.1:${port}/api/weir`);
    expect(text).toContain('exit 4: no token was given');
  });

  it('ask for a management token instead of an API key', async () => {
    const key = ['sk', 'live', `wr1_${'a'.repeat(50)}`].join('_');
    const text = await said(web(), (port) => `http://127.0.0.1:${port}`, key);
    expect(text).toContain('an API key was given, but commands need a management token (wt_live_…)');
    expect(text).not.toContain('aaaa');
  });

  it('warn that an interrupted change may have been applied, and do not warn about an interrupted read', async () => {
    const interrupted = (...argv: string[]): Promise<string> => {
      const stop = new AbortController();
      const silent = createHttpServer(() => stop.abort());
      return said(silent, (port) => `http://127.0.0.1:${port}`, 'wt', argv, stop.signal);
    };
    expect(await interrupted('tokens', 'list')).toBe('exit 130: interrupted');
    expect(await interrupted('tokens', 'delete', 'k1', '--yes')).toBe(
      'exit 130: interrupted; the server may have executed the request: check before you repeat it',
    );
  });
});
