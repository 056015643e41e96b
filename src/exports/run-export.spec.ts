import type { EventReader, ParquetPacker } from '../events/index.js';
import type { ClaimedJob } from './export-job.js';
import type { ExportJobs, NewPart } from './export-jobs.js';
import { runExport, type RunParts } from './run-export.js';
import { TurnOver } from '../resilience/index.js';

interface Page {
  readonly rows?: number;
  readonly nextCursor: string | null;
}

const NOTHING_FOUND: Page = { nextCursor: 'first' };
const KILLED = new Error('killed');

/** An export whose search ends its pages early, because the filters match few events. It is killed after the last page. */
function searching(pages: readonly Page[], more: Partial<RunParts> = {}, from: Partial<ClaimedJob> = {}) {
  const stored: object[] = [];
  const asked: (string | undefined)[] = [];
  /** The time that the search of each page may take. */
  const pageMs: (number | undefined)[] = [];
  const jobs = {
    abouts: () => Promise.resolve([]),
    fileBefore: () => Promise.resolve(null),
    addPart: (_job: ClaimedJob, number: number, { rows, cursor }: NewPart) =>
      Promise.resolve(void stored.push({ number, rows, cursor })),
    keepUp: (_job: ClaimedJob, cursor?: string) => Promise.resolve(void stored.push({ cursor })),
    find: () => Promise.resolve(null),
  };
  const rest = [...pages];
  const reader = {
    countAll: () => Promise.resolve(null),
    list: (_filters: object, cursor?: string, patience?: { readonly ms: number }) => {
      asked.push(cursor);
      pageMs.push(patience?.ms);
      const page = rest.shift();
      if (page === undefined) return Promise.reject(KILLED);
      const data = Array.from({ length: page.rows ?? 0 }, (_, row) => ({ id: `event ${row}` }));
      return Promise.resolve({ data, nextCursor: page.nextCursor });
    },
  };
  const packer = { rowGroup: () => Promise.resolve({ bytes: new Uint8Array(9), about: new Uint8Array() }) };
  const job = {
    ...{ id: 'job', accountId: 'account', format: 'jsonl', columns: ['id'], filters: {}, bom: false, bytes: 0 },
    ...{ destination: { kind: 'download' }, createdAt: new Date(0), parts: 0, cursor: null, hash: null, sha256: null },
    ...from,
  } as unknown as ClaimedJob;
  const parts: RunParts = {
    ...{ jobs: jobs as unknown as ExportJobs, reader: reader as unknown as EventReader },
    ...{ packer: packer as unknown as ParquetPacker, saveEveryMs: 0 },
    ...more,
  };
  return { stored, asked, pageMs, run: (signal = new AbortController().signal) => runExport(job, parts, signal) };
}

describe('An export whose filters match few events', () => {
  it('stores how far it has searched, and continues from there', async () => {
    const first = searching([NOTHING_FOUND, { nextCursor: 'second' }]);
    await expect(first.run()).rejects.toBe(KILLED);
    expect(first.stored).toEqual([{ cursor: 'first' }, { cursor: 'second' }]);
    const second = searching([{ nextCursor: null }], {}, { cursor: 'second' });
    await second.run();
    expect(second.asked).toEqual(['second']);
    expect(second.stored).toEqual([{ number: 0, rows: 0, cursor: null }]);
  });

  it('stores the rows that it has found so far', async () => {
    const { run, stored } = searching([NOTHING_FOUND, { rows: 2, nextCursor: 'second' }]);
    await expect(run()).rejects.toBe(KILLED);
    expect(stored).toEqual([{ cursor: 'first' }, { number: 0, rows: 2, cursor: 'second' }]);
  });

  it('does not pass over the rows of a group of Parquet that is not written yet', async () => {
    const pages = [NOTHING_FOUND, { rows: 1, nextCursor: 'second' }, { rows: 1, nextCursor: 'third' }];
    const { run, stored } = searching(pages, {}, { format: 'parquet' });
    await expect(run()).rejects.toBe(KILLED);
    expect(stored).toEqual([{ cursor: 'first' }, { cursor: 'first' }, { cursor: 'first' }]);
  });

  it('gives its place to another account although it has found nothing', async () => {
    const { run, stored } = searching([NOTHING_FOUND, { nextCursor: 'second' }], {
      ...{ isTurnOver: () => true, saveEveryMs: Infinity },
    });
    await expect(run()).rejects.toBeInstanceOf(TurnOver);
    expect(stored).toEqual([{ cursor: 'first' }]);
  });

  it('ends when its process stops', async () => {
    const stopping = new AbortController();
    const { run, asked, pageMs } = searching([NOTHING_FOUND, { nextCursor: 'second' }], {
      isTurnOver: () => {
        stopping.abort();
        return false;
      },
    });
    await expect(run(stopping.signal)).rejects.toMatchObject({ name: 'AbortError' });
    expect(asked).toEqual([undefined, 'first']);
    // Without a limit, the search of a page may take hours, and the signal is looked at after it.
    expect(pageMs).toEqual([1_000, 1_000]);
  });

  it('does not wait for the number of all its rows when its process stops', async () => {
    const stopping = new AbortController();
    const { run } = searching([], {
      reader: {
        countAll: () => {
          setImmediate(() => stopping.abort());
          return new Promise<never>(() => undefined);
        },
      } as unknown as EventReader,
    });
    await expect(run(stopping.signal)).rejects.toMatchObject({ name: 'AbortError' });
  });
});
