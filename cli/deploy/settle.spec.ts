import { Writable } from 'node:stream';
import type { DeploymentAnswer, ReplicaBody } from '../../src/core/index.js';
import { ApiError } from '../api/index.js';
import type { Io } from '../io.js';
import { carryOut, type DeployFlags } from './execute-plan.js';
import type { Plan } from './plan.js';
import type { PolicyServer } from './policy-server.js';
import { settled, settledOutcome } from './settle.js';

type State = ReplicaBody['state'];

/** Deployment 5 of production, with replicas in these states. */
function answer(...states: State[]): DeploymentAnswer {
  const deployment = { environment: 'production', number: 5, digest: 'd'.repeat(64) };
  const replicas = states.map((state, index) => ({
    ...{ name: `replica-${index}`, state, deployment: state === 'failed' ? 4 : 5, digest: null },
    ...{ problem: state === 'failed' ? 'a plugin is missing' : null, tests_passed: 0 },
  }));
  return { deployment, replicas } as unknown as DeploymentAnswer;
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

  it('continues while no replica has reported', async () => {
    const { replicas } = await waited(60_000, answer(), answer('lost'), answer('active', 'lost'));
    expect(replicas).toMatchObject([{ state: 'active' }, { state: 'lost' }]);
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

describe('The outcome of a deployment', () => {
  const what = 'production #5 dddddddddddd';

  it.each<[State[], number, string]>([
    [['active', 'active', 'lost'], 0, `${what} is in force on 2 of 2 replicas`],
    [['active', 'failed'], 1, `${what}: 1 of 2 replicas cannot activate it`],
    [['active', 'pending'], 4, `${what}: 1 of 2 replicas have not answered`],
    [['lost'], 5, `${what} is in force on no replica: none has reported its policy`],
    [[], 5, `${what} is in force on no replica: none has reported its policy`],
  ])('for the replicas %j is exit code %d', (states, exit, words) => {
    expect(settledOutcome(answer(...states))).toEqual({ exit, words });
  });
});

describe('Deploying a policy that was deployed before', () => {
  const base = { number: 5, digest: 'd'.repeat(64) };
  const plan = { environment: 'production', digest: base.digest, base } as Plan;

  /** The outcome and the output of a deployment, reviewed or not, with replicas in these states. */
  async function again(states: State[], json = false, isReviewed = true) {
    let stdout = '';
    const out = new Writable({ write: (part: Buffer, _encoding, done) => done(void (stdout += part.toString())) });
    const server = {
      active: () => Promise.resolve({ base }),
      deployment: () => Promise.resolve(answer(...states)),
      deploy: () => Promise.reject(new Error('nothing is deployed')),
    };
    let nowMs = 0;
    const io = { nowMs: () => (nowMs += 60_000), signal: new AbortController().signal, stdout: out };
    const flags = { json, yes: true, wait: '60s' } as DeployFlags;
    const outcome = await carryOut(plan, server as unknown as PolicyServer, flags, isReviewed, io as unknown as Io);
    return { ...outcome, stdout };
  }

  it.each([true, false])('succeeds if it is in force on every replica (reviewed plan: %p)', async (isReviewed) => {
    expect(await again(['active', 'lost'], false, isReviewed)).toEqual({
      exit: 0,
      words: 'production #5: this policy is already in force; nothing was deployed',
      stdout: '',
    });
  });

  it.each([true, false])(
    'fails as the first run did if a replica cannot activate it (reviewed plan: %p)',
    async (is) => {
      expect(await again(['active', 'failed'], false, is)).toEqual({
        exit: 1,
        words: 'production #5 dddddddddddd: 1 of 2 replicas cannot activate it; nothing was deployed',
        stdout: expect.stringContaining('  replica-1  failed  #4 none\n      a plugin is missing\n'),
      });
    },
  );

  it('does not succeed while a replica has not answered, or if there is none', async () => {
    expect(await again(['pending'])).toMatchObject({ exit: 4 });
    expect(await again(['lost'])).toMatchObject({ exit: 5 });
  });

  it('names the state of each replica in JSON', async () => {
    const { exit, stdout } = await again(['failed'], true);
    expect(exit).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ deployed: false, deployment: null, replicas: [{ state: 'failed' }] });
  });
});
