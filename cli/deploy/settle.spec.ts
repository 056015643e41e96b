import type { DeploymentAnswer } from '../../src/core/index.js';
import { ApiError } from '../api/index.js';
import type { Io } from '../io.js';
import type { PolicyServer } from './policy-server.js';
import { settled } from './settle.js';

/** Deployment 5 of production, with one replica in this state. */
function answer(state: 'pending' | 'active'): DeploymentAnswer {
  const deployment = { environment: 'production', number: 5 };
  return { deployment, replicas: [{ name: 'one', state }] } as unknown as DeploymentAnswer;
}

/** Waits for a server that gives these answers, one after the other; the last one again and again. Every look takes a second. */
function waited(waitForMs: number, ...answers: (DeploymentAnswer | Error)[]): Promise<DeploymentAnswer> {
  let nowMs = 0;
  const io = { nowMs: () => (nowMs += 1_000), signal: new AbortController().signal } as unknown as Io;
  const deployment = (): Promise<DeploymentAnswer> => {
    const next = answers.length > 1 ? answers.shift() : answers[0];
    return next instanceof Error ? Promise.reject(next) : Promise.resolve(next!);
  };
  return settled(answer('pending'), { deployment } as unknown as PolicyServer, waitForMs, io);
}

const GONE = new ApiError(0, 'unreachable', 'http://x cannot be reached: nothing listens there (ECONNREFUSED)');

describe('Waiting for the replicas of an accepted deployment', () => {
  it('continues while the server restarts', async () => {
    const { replicas } = await waited(60_000, GONE, new ApiError(503, 'unavailable', 'Not now'), answer('active'));
    expect(replicas).toMatchObject([{ state: 'active' }]);
  });

  it('names the deployment if the server does not come back in time', async () => {
    await expect(waited(3_000, GONE)).rejects.toMatchObject({
      exit: 4,
      message:
        'production #5 was accepted, but the state of its replicas is unknown: http://x cannot be reached: nothing listens there (ECONNREFUSED); see weir show production 5',
    });
  });

  it('ends at once, with the name of the deployment, if the server refuses the question', async () => {
    const refused = new ApiError(401, 'authentication_error', 'the token has expired');
    await expect(waited(60_000, refused, answer('active'))).rejects.toThrow(
      'production #5 was accepted, but the state of its replicas is unknown: the token has expired',
    );
  });
});
