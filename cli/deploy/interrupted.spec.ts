import { reportingInterrupts } from './interrupted.js';
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

  it('leaves other errors as they are', async () => {
    const failing = reportingInterrupts(PLAN, serverWith(5, 'new'), { signal: new AbortController().signal }, () =>
      Promise.reject(new Error('refused')),
    );
    await expect(failing).rejects.toThrow('refused');
  });
});
