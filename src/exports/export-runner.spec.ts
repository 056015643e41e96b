import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EventReader } from '../events/index.js';
import type { ClaimedJob, ExportJob } from './export-job.js';
import { ExportRunner } from './export-runner.js';

type Parts = ConstructorParameters<typeof ExportRunner>;

const NOTHING_EXPIRES: Parts[0]['expiry'] = { expire: () => Promise.resolve() };
const NO_SCHEDULES = { startDue: () => Promise.resolve() } as unknown as Parts[2];

/** A runner that finds one job, and whose reader waits for the read replica until the wait is aborted. */
function runner() {
  const messages: string[] = [];
  const jobs = {
    accountsWithWork: () => Promise.resolve(['account']),
    claim: () => Promise.resolve(messages.length === 0 ? ({ id: 'job' } as ClaimedJob) : null),
    release: () => Promise.resolve(void messages.push('released')),
  };
  const waiting = Promise.withResolvers<void>();
  const waits: Parts[1] = (signal) => {
    messages.push('waits');
    waiting.resolve();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve({} as never)));
  };
  const log = { error: (_about: object, message: string) => messages.push(message) };
  const parts = { jobs, expiry: NOTHING_EXPIRES } as unknown as Parts[0];
  return { runner: new ExportRunner(parts, waits, NO_SCHEDULES, log), waiting: waiting.promise, messages };
}

describe('A process that stops during an export', () => {
  it('does not wait for a read replica to catch up, reads nothing more, and releases the job', async () => {
    const { runner: exports, waiting, messages } = runner();
    exports.start();
    await waiting;
    await exports.stop();
    expect(messages).toEqual(['waits', 'released']);
  });
});

/** A process that finds queued jobs of accounts; every job is read without end, one page for each call of `letPage`. */
function sharedBy(
  queues: Readonly<Record<string, number>>,
  turnMs?: number,
  {
    failing,
    paused = [],
    toBuckets = [],
  }: { readonly failing?: string; readonly paused?: readonly string[]; readonly toBuckets?: readonly string[] } = {},
) {
  const claimed: string[] = [];
  const messages: string[] = [];
  const left = new Map(Object.entries(queues));
  const pages: (() => void)[] = [];
  const jobs = {
    accountsWithWork: () => Promise.resolve([...left.keys()].filter((account) => left.get(account)! > 0)),
    isWaiting: (accountId: string) => Promise.resolve(left.get(accountId)! > 0 && !paused.includes(accountId)),
    claim: (accountId: string) => {
      if (paused.includes(accountId)) return Promise.resolve(null);
      const count = left.get(accountId)!;
      if (count === 0) return Promise.resolve(null);
      left.set(accountId, count - 1);
      claimed.push(accountId);
      const place = toBuckets.includes(accountId) ? TO_BUCKET : {};
      return Promise.resolve({ ...JOB, ...place, id: `${accountId}-${count}`, accountId } as unknown as ClaimedJob);
    },
    release: ({ accountId }: ClaimedJob) => Promise.resolve(void left.set(accountId, left.get(accountId)! + 1)),
    abouts: () => Promise.resolve([]),
    addPart: () => Promise.resolve(),
    find: () => Promise.resolve(undefined),
  };
  const list = () =>
    new Promise((resolve) => pages.push(() => resolve({ data: [{ id: 'event' }], nextCursor: 'next' })));
  const reading = { list } as unknown as EventReader;
  const log = { error: (_about: object, message: string) => void messages.push(message) };
  const startDue = (accountId: string) =>
    accountId === failing ? Promise.reject(new Error('unreadable')) : Promise.resolve();
  const exports = new ExportRunner(
    { jobs, expiry: NOTHING_EXPIRES, partBytes: 1 } as unknown as Parts[0],
    () => Promise.resolve(reading),
    { startDue } as unknown as Parts[2],
    log,
    turnMs,
  );
  return {
    claimed,
    messages,
    exports,
    async untilClaimed(count: number): Promise<void> {
      while (claimed.length < count || pages.length < 2) await new Promise(setImmediate);
    },
    /** Lets the run that has waited longest read a page, which is stored as a part. */
    letPage: () => pages.shift()?.(),
    async stop(): Promise<void> {
      let isStopped = false;
      const stopped = exports.stop().then(() => {
        isStopped = true;
      });
      while (!isStopped) {
        for (const page of pages.splice(0)) page();
        await new Promise(setImmediate);
      }
      await stopped;
    },
  };
}

const JOB = {
  ...{ format: 'jsonl', filters: {}, bom: false, destination: { kind: 'download' }, createdAt: new Date(0) },
  ...{ parts: 1, hash: null, sha256: null, cursor: 'begun', bytes: 1, rows: 1, runner: 'run' },
};

/** A bucket that is asked nothing, because it accepts no parts as small as those of these exports. */
const TO_BUCKET = {
  destination: { kind: 's3', bucket: 'bucket', region: 'r', prefix: '', endpoint: 'https://bucket.example' },
  ...{ upload: null, credentials: { access_key_id: 'id', secret_access_key: 'made up' } },
};

describe('A process that exports for several accounts', () => {
  it('leaves one of its two places to another account that waits, however many exports an account has queued', async () => {
    const shared = sharedBy({ busy: 5, other: 1 });
    shared.exports.start();
    await shared.untilClaimed(2);
    expect(shared.claimed).toEqual(['busy', 'other']);
    await shared.stop();
  });

  it('runs two exports of an account when no other account waits', async () => {
    const shared = sharedBy({ alone: 5 });
    shared.exports.start();
    await shared.untilClaimed(2);
    expect(shared.claimed).toEqual(['alone', 'alone']);
    await shared.stop();
  });

  it('gives the place of a long export, once a part of it is stored, to the account that has waited longest', async () => {
    const shared = sharedBy({ one: 1, two: 1, three: 1, four: 1 }, 0);
    shared.exports.start();
    for (let claims = 2; claims < 8; claims++) {
      await shared.untilClaimed(claims);
      shared.letPage();
    }
    await shared.untilClaimed(8);
    expect(shared.claimed).toEqual(['one', 'two', 'three', 'four', 'one', 'two', 'three', 'four']);
    await shared.stop();
  });

  it('lets the exports of others run beside exports to buckets that find too few rows for a part, and continues these', async () => {
    const shared = sharedBy({ one: 1, two: 1, three: 1, four: 1 }, 0, { toBuckets: ['one', 'two'] });
    shared.exports.start();
    await shared.untilClaimed(2);
    shared.letPage();
    await shared.untilClaimed(3);
    expect(shared.claimed).toEqual(['one', 'two', 'three']);
    shared.letPage();
    await shared.untilClaimed(4);
    expect(shared.claimed).toEqual(['one', 'two', 'three', 'four']);
    // `three` stores its part and releases its place, in which `one` continues; it is not claimed again.
    shared.letPage();
    await shared.untilClaimed(4);
    expect(shared.claimed).toEqual(['one', 'two', 'three', 'four']);
    await shared.stop();
    expect(shared.messages).toEqual([]);
  });

  it('exports for the others while the schedules of one account cannot be read, and reports that once', async () => {
    const shared = sharedBy({ one: 1, two: 1 }, undefined, { failing: 'one' });
    shared.exports.start();
    await shared.untilClaimed(2);
    shared.exports.look();
    expect(shared.claimed).toEqual(['one', 'two']);
    await shared.stop();
    expect(shared.messages).toEqual(['the search for pending exports failed; retrying']);
  });

  it('continues a long export when another account has only paused exports', async () => {
    const shared = sharedBy({ one: 1, two: 1, three: 1 }, 0, { paused: ['three'] });
    shared.exports.start();
    for (let page = 0; page < 5; page++) {
      await shared.untilClaimed(2);
      shared.letPage();
    }
    await shared.untilClaimed(2);
    expect(shared.claimed).toEqual(['one', 'two']);
    await shared.stop();
  });

  it('continues a long export when no other account waits', async () => {
    const shared = sharedBy({ one: 1, two: 1 }, 0);
    shared.exports.start();
    for (let page = 0; page < 5; page++) {
      await shared.untilClaimed(2);
      shared.letPage();
    }
    await shared.untilClaimed(2);
    expect(shared.claimed).toEqual(['one', 'two']);
    await shared.stop();
  });
});

/** A bucket that refuses every part. */
async function refusingBucket(status: number, code: string) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    request.resume();
    const { method = '', url = '' } = request;
    asked.push(method);
    if (method === 'POST') response.end('<UploadId>upload</UploadId>');
    else if (method === 'PUT') response.writeHead(status).end(`<Error><Code>${code}</Code></Error>`);
    else response.writeHead(url.includes('uploadId=upload') ? 204 : 400).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return { server, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

interface Refusal {
  readonly status?: number;
  readonly code?: string;
  readonly claimed?: Partial<ClaimedJob>;
  /** The export after its failure. */
  readonly after?: Partial<ExportJob>;
}

/** Runs an export to a bucket that refuses its next part, and returns what is stored about the export and asked of the bucket. */
async function refusedExport({ status = 403, code = 'AccessDenied', claimed = {}, after = {} }: Refusal) {
  const { server, endpoint, asked } = await refusingBucket(status, code);
  const stored: unknown[] = [];
  const destination = { kind: 's3', bucket: 'bucket', region: 'r', prefix: '', endpoint, accessKeyEnds: 'id' };
  const credentials = { access_key_id: 'id', secret_access_key: 'made up' };
  const job = { ...JOB, id: 'job', accountId: 'account', upload: null, error: null, destination, credentials };
  const left = [{ ...job, ...claimed }];
  const jobs = {
    accountsWithWork: () => Promise.resolve(['account']),
    claim: () => Promise.resolve(left.pop() ?? null),
    isWaiting: () => Promise.resolve(false),
    abouts: () => Promise.resolve([]),
    uploading: () => Promise.resolve(),
    fail: (_: unknown, error: string, mayResume: boolean) => Promise.resolve(void stored.push({ error, mayResume })),
    restart: (_: unknown, why: string) => Promise.resolve(void stored.push({ why })),
    find: () => Promise.resolve({ state: 'failed', isResumable: true, ...after }),
  };
  const list = () => Promise.resolve({ data: [{ id: 'event' }], nextCursor: null });
  const log = { error: (_about: object, message: string) => void stored.push(message) };
  const parts = { jobs, expiry: NOTHING_EXPIRES, endpoints: [endpoint] } as unknown as Parts[0];
  const exports = new ExportRunner(parts, () => Promise.resolve({ list } as unknown as EventReader), NO_SCHEDULES, log);
  exports.start();
  while (stored.length === 0) await new Promise(setImmediate);
  await exports.stop();
  server.closeAllConnections();
  server.close();
  return { stored, asked };
}

describe('An export whose bucket refuses a part', () => {
  it('keeps its upload, so that it can be resumed', async () => {
    const { stored, asked } = await refusedExport({ claimed: { upload: 'upload' } });
    expect(stored).toEqual([{ error: 'The bucket answered 403, AccessDenied', mayResume: true }]);
    expect(asked).toEqual(['PUT']);
  });

  it.each<[string, Partial<ExportJob>]>([
    ['was cancelled meanwhile', { state: 'cancelled' }],
    ['has stored nothing that could be resumed', { isResumable: false }],
  ])('leaves no upload if it %s', async (_, after) => {
    const { asked } = await refusedExport({ after });
    expect(asked).toEqual(['POST', 'PUT', 'DELETE']);
  });

  it('begins again if the bucket no longer has the upload, but only once', async () => {
    const lost = { status: 404, code: 'NoSuchUpload' };
    const first = await refusedExport({ ...lost, claimed: { upload: 'upload' }, after: { state: 'running' } });
    expect(first.stored).toEqual([{ why: 'The bucket no longer has the incomplete upload: the export began again' }]);
    const second = await refusedExport({ ...lost, claimed: { upload: 'upload', error: 'it began again' } });
    expect(second.stored).toEqual([{ error: 'The bucket no longer has the incomplete upload', mayResume: false }]);
  });

  it('does not begin again if there is no such bucket', async () => {
    const { stored } = await refusedExport({ status: 404, code: 'NoSuchBucket', claimed: { upload: 'upload' } });
    expect(stored).toEqual([{ error: 'The bucket answered 404, NoSuchBucket', mayResume: true }]);
  });
});
