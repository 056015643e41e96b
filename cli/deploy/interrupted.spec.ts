import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runWeir } from '../../test/support/run-weir.js';
import { beforeSending, reportingInterrupts } from './interrupted.js';
import type { PolicyServer } from './policy-server.js';

const PLAN = { environment: 'production', digest: 'new', base: { number: 4, digest: 'old' } } as const;

/** A server of which this is in force when it is asked after the interruption. */
function serverWith(number: number, digest: string): PolicyServer {
  const server = { active: () => Promise.resolve({ base: { number, digest } }), under: () => Promise.resolve(server) };
  return server as unknown as PolicyServer;
}

function interrupted(server: PolicyServer): Promise<unknown> {
  const stop = new AbortController();
  return reportingInterrupts(PLAN, server, { signal: stop.signal }, () => {
    stop.abort();
    return Promise.reject(new Error('aborted'));
  });
}

describe('A deployment that is interrupted', () => {
  it('says that the server took it, where it did', async () => {
    await expect(interrupted(serverWith(5, 'new'))).rejects.toMatchObject({
      exit: 130,
      message: 'interrupted; the server accepted it: production #5 is in force',
    });
  });

  it('says that somebody else deployed meanwhile', async () => {
    await expect(interrupted(serverWith(5, 'other'))).rejects.toThrow('the server accepted another deployment, #5');
  });

  it('says that nothing is known of a server that does not answer', async () => {
    const server = { under: () => Promise.reject(new Error('no connection')) } as unknown as PolicyServer;
    await expect(interrupted(server)).rejects.toThrow('the server does not say whether it accepted it');
  });

  it('says that nothing was deployed, where nothing was sent yet', async () => {
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

  it('says so on the command line, of the plan that it was about to deploy', async () => {
    const stop = new AbortController();
    const silent = createServer(() => stop.abort());
    await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done));
    const { port } = silent.address() as AddressInfo;
    const folder = mkdtempSync(join(tmpdir(), 'weir-interrupted-'));
    try {
      await runWeir(['init'], { cwd: folder });
      const { exit, stderr } = await runWeir(['deploy', 'production', '--url', `http://127.0.0.1:${port}`, '--yes'], {
        cwd: folder,
        signal: stop.signal,
      });
      expect([exit, stderr.trimEnd().split('\n').at(-1)]).toEqual([
        130,
        'exit 130: interrupted before anything was sent; nothing was deployed',
      ]);
    } finally {
      silent.closeAllConnections();
      silent.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('leaves other errors as they are', async () => {
    const failing = reportingInterrupts(PLAN, serverWith(5, 'new'), { signal: new AbortController().signal }, () =>
      Promise.reject(new Error('refused')),
    );
    await expect(failing).rejects.toThrow('refused');
  });
});
