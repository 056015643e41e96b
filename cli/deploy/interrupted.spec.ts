import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWeir } from '../../test/support/run-weir.js';
import { beforeSending, reportingInterrupts, type Sent } from './interrupted.js';
import type { PolicyServer } from './policy-server.js';

const SENT: Sent = {
  environment: 'production',
  base: { number: 4 },
  isInForce: ({ base }) => base.digest === 'new',
};

/** A server that reports this deployment as active after the interruption. */
function serverWith(number: number, digest: string): PolicyServer {
  const server = { active: () => Promise.resolve({ base: { number, digest } }), under: () => Promise.resolve(server) };
  return server as unknown as PolicyServer;
}

function interrupted(server: PolicyServer): Promise<unknown> {
  const stop = new AbortController();
  return reportingInterrupts(SENT, server, { signal: stop.signal }, () => {
    stop.abort();
    return Promise.reject(new Error('aborted'));
  });
}

const DIGEST = '0'.repeat(64);
const UNCOMPILABLE = {
  format: 'weir/bundle/v1',
  environment: 'production',
  policy: { id: 'production', digest: DIGEST },
  files: [{ path: 'production/policy.yaml', text: 'no policy' }],
  tests: [],
  requires: [],
  source: { commit: null, clean: true },
  signatures: [],
};

/** The active policy as a server reports it; number 3 is a rollback to deployment 1. */
function active(number: number): object {
  const base = { number, digest: DIGEST };
  const deployment = {
    ...{ number, environment: 'production', action: 'rollback', emergency: false, digest: DIGEST, version: '0' },
    ...{ bundle_digest: DIGEST, base, restores: number === 3 ? 1 : 0, because: 'Pager', changed_files: [] },
    ...{ waived_tests: [], untested: false, signed_by: [], serial: null, source: { commit: null, clean: true } },
    ...{ token_id: null, person_id: null, by_name: null, created_at: '2026-11-21T09:00:00.000Z' },
  };
  const policy = { environment: 'production', source: 'deployment', policy: 'p', digest: DIGEST, version: '0', base };
  return { ...policy, deployment, replicas: [] };
}

/**
 * Runs a command against a server with these responses, and returns the exit code and the last line of the command. The server does not
 * respond if `answer` returns undefined.
 */
async function against(
  answer: (request: IncomingMessage) => object | undefined,
  argv: readonly string[],
  signal: AbortSignal,
  cwd = tmpdir(),
): Promise<[exit: number, lastLine: string | undefined]> {
  const server = createServer((request, response) => {
    const body = answer(request);
    if (body !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { exit, stderr } = await runWeir([...argv, '--url', url], { cwd, signal, env: { WEIR_TOKEN: 'wt' } });
    return [exit, stderr.trimEnd().split('\n').at(-1)];
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

describe('An interrupted deployment', () => {
  it('reports that the server accepted the deployment', async () => {
    await expect(interrupted(serverWith(5, 'new'))).rejects.toMatchObject({
      exit: 130,
      message: 'interrupted; the server accepted the deployment: production #5 is in force',
    });
  });

  it('reports that another deployment was accepted instead', async () => {
    await expect(interrupted(serverWith(5, 'other'))).rejects.toThrow('the server accepted another deployment, #5');
  });

  it('reports that the result is unknown if the server does not respond', async () => {
    const server = { under: () => Promise.reject(new Error('no connection')) } as unknown as PolicyServer;
    await expect(interrupted(server)).rejects.toThrow('it is unknown whether the server accepted the deployment');
  });

  it('reports that nothing was deployed if nothing was sent yet', async () => {
    const stop = new AbortController();
    const asking = beforeSending({ signal: stop.signal }, () => {
      stop.abort();
      return Promise.reject(new Error('aborted'));
    });
    await expect(asking).rejects.toMatchObject({
      exit: 130,
      message: 'interrupted before anything was sent; nothing was deployed',
    });
  });

  it('reports that nothing was deployed if weir deploy is interrupted while it makes the plan', async () => {
    const stop = new AbortController();
    const folder = mkdtempSync(join(tmpdir(), 'weir-interrupted-'));
    try {
      await runWeir(['init'], { cwd: folder });
      const run = await against(
        () => {
          stop.abort();
          return undefined;
        },
        ['deploy', 'production', '--yes'],
        stop.signal,
        folder,
      );
      expect(run).toEqual([130, 'exit 130: interrupted before anything was sent; nothing was deployed']);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('reports that the server accepted a rollback', async () => {
    const stop = new AbortController();
    let number = 2;
    const run = await against(
      (request) => {
        if (request.method !== 'POST') return request.url?.endsWith('/bundle') === true ? UNCOMPILABLE : active(number);
        // The server accepts the rollback, but the command is interrupted before the response.
        number = 3;
        stop.abort();
        return undefined;
      },
      ['rollback', 'production', '--to', '1', '--because', 'Pager', '--yes'],
      stop.signal,
    );
    expect(run).toEqual([130, 'exit 130: interrupted; the server accepted the deployment: production #3 is in force']);
  });

  it('reports that nothing was sent if a rollback is interrupted before its request', async () => {
    const stop = new AbortController();
    const run = await against(
      () => {
        stop.abort();
        return undefined;
      },
      ['rollback', 'production', '--because', 'Pager', '--yes'],
      stop.signal,
    );
    expect(run).toEqual([130, 'exit 130: interrupted before anything was sent; nothing was deployed']);
  });

  it('rethrows errors without an interruption unchanged', async () => {
    const failing = reportingInterrupts(SENT, serverWith(5, 'new'), { signal: new AbortController().signal }, () =>
      Promise.reject(new Error('refused')),
    );
    await expect(failing).rejects.toThrow('refused');
  });
});
