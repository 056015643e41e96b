import { serialize } from 'node:v8';
import { DatabaseError } from '../../database/index.js';
import type { AppendRequest, AppendResult } from '../event.js';
import { EventLogUnavailable, EventRejected } from '../event-log-errors.js';
import { EndJournal, type JournalParts } from './end-journal.js';
import { JournalRefusal, type JournalFile } from './journal-file.js';

/** Records in memory. @param before called before each of these operations, which fails if the function throws */
function fileOf(before: (operation: 'oldest' | 'delete') => void = () => undefined) {
  const records = new Map<string, Buffer>();
  const file = {
    get size() {
      return records.size;
    },
    isUp: true,
    checkDisk: () => Promise.resolve(),
    add: (id: string, content: Buffer) => void records.set(id, content),
    oldest: (most: number, except: ReadonlySet<string>) => {
      before('oldest');
      const rest = [...records].filter(([id]) => !except.has(id));
      return rest.slice(0, most).map(([id, content]) => ({ id, content }));
    },
    delete: (id: string) => {
      before('delete');
      records.delete(id);
    },
  };
  return { file: file as unknown as JournalFile, records };
}

const endOf = (id: string) => ({ event: { id, accountId: 'acme' } }) as unknown as AppendRequest;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const APPENDED = {} as AppendResult;

/** A function that fails as often as there are errors, and then succeeds. */
function failing<Result>(errors: readonly Error[], result: Result): () => Promise<Result> {
  const rest = [...errors];
  return () => {
    const error = rest.shift();
    return error === undefined ? Promise.resolve(result) : Promise.reject(error);
  };
}

describe('The journal', () => {
  let journal: EndJournal;
  /** The reports of the journal, in their order. */
  let reports: string[];
  /** Resolves when a record is stored or lost. */
  let ended: PromiseWithResolvers<void>;

  const start = (parts: Partial<JournalParts>): void => {
    journal = new EndJournal({
      file: undefined,
      append: () => Promise.resolve(APPENDED),
      isStored: () => Promise.resolve(false),
      afterStored: () => Promise.resolve(),
      observer: {
        kept: () => undefined,
        refused: (kind, why) => void reports.push(`refused ${kind}: ${why}`),
        stored: () => {
          reports.push('stored');
          ended.resolve();
        },
        lost: (id, why) => {
          reports.push(`lost ${id}: ${why}`);
          ended.resolve();
        },
        stuck: (why) => void reports.push(`stuck because ${why}`),
        unreadable: (id) => void reports.push(`unreadable ${id}`),
      },
      retryMs: 0,
      ...parts,
    });
    journal.start();
  };

  beforeEach(() => {
    reports = [];
    ended = Promise.withResolvers();
  });
  afterEach(() => journal.stop());

  it('stores the records of its own worker while records that another worker left behind still wait', async () => {
    const own = fileOf();
    const left = fileOf();
    // The append of a record that was left behind does not end before the test.
    const released = Promise.withResolvers<AppendResult>();
    const append = ({ event }: AppendRequest): Promise<AppendResult> =>
      event.id === 'left' ? released.promise : Promise.resolve(APPENDED);
    left.records.set('left', serialize({ form: 1, request: endOf('left') }));
    start({ file: own.file, leftBehind: [left.file], append });
    await settled();
    expect(journal.keep(endOf('own'))).toBe(true);
    await ended.promise;
    expect([...own.records.keys()]).toEqual([]);
    expect([...left.records.keys()]).toEqual(['left']);
    released.resolve(APPENDED);
  });

  it('keeps records as soon as a file can be opened that could not be opened at the start', async () => {
    const { file, records } = fileOf();
    records.set('earlier', serialize({ form: 1, request: endOf('earlier') }));
    start({ reopen: () => file });
    expect(journal.keep(endOf('lost'))).toBe(false);
    await ended.promise;
    expect(reports).toEqual(['refused unusable: cannot be used', 'stored']);
    expect(journal.keep(endOf('later'))).toBe(true);
  });

  it('reads its file again after a failure, and reports the reason once', async () => {
    let reads = 0;
    const { file, records } = fileOf((operation) => {
      if (operation === 'oldest') reads += 1;
      if (reads < 4) throw new JournalRefusal('unusable', 'is locked by another process');
    });
    records.set('a', serialize({ form: 1, request: endOf('a') }));
    start({ file });
    await ended.promise;
    expect(reports).toEqual(['stuck because the journal is locked by another process', 'stored']);
    expect(records.size).toBe(0);
  });

  it('counts a record once if the record cannot be deleted immediately', async () => {
    let deletions = 0;
    const { file, records } = fileOf((operation) => {
      if (operation === 'delete') deletions += 1;
      if (operation === 'delete' && deletions === 1) throw new JournalRefusal('unusable', 'cannot be written');
    });
    records.set('a', serialize({ form: 1, request: endOf('a') }));
    start({ file });
    await ended.promise;
    expect(reports).toEqual(['stuck because the journal cannot be written', 'stored']);
    expect(records.size).toBe(0);
  });

  it('keeps records that this version cannot read, and stores the others', async () => {
    const { file, records } = fileOf();
    records.set('newer', serialize({ form: 2, request: endOf('newer') }));
    records.set('broken', Buffer.from('not a record'));
    records.set('a', serialize({ form: 1, request: endOf('a') }));
    start({ file });
    await ended.promise;
    await settled();
    expect(reports).toEqual(['unreadable newer', 'unreadable broken', 'stored']);
    expect([...records.keys()]).toEqual(['newer', 'broken']);
    ended = Promise.withResolvers();
    expect(journal.keep(endOf('b'))).toBe(true);
    await ended.promise;
    expect([...records.keys()]).toEqual(['newer', 'broken']);
  });

  it('reports once why an available database refuses its records, and stores them later', async () => {
    const { file } = fileOf();
    const forbidden = new DatabaseError('42501', 'permission denied for table events');
    const missing = new EventLogUnavailable('the event log cannot be reached', {
      cause: new DatabaseError('42P01', 'relation does not exist'),
    });
    start({ file, append: failing([forbidden, forbidden, missing, missing], APPENDED) });
    expect(journal.keep(endOf('a'))).toBe(true);
    await ended.promise;
    expect(reports).toEqual([
      'stuck because the database refuses them (SQLSTATE 42501)',
      'stuck because the database refuses them (SQLSTATE 42P01)',
      'stored',
    ]);
  });

  it('does not report an outage of the database', async () => {
    const { file } = fileOf();
    const outage = new EventLogUnavailable('the event log cannot be reached');
    start({ file, append: failing([outage, outage], APPENDED) });
    expect(journal.keep(endOf('a'))).toBe(true);
    await ended.promise;
    expect(reports).toEqual(['stored']);
  });

  it('retries one record at a time during an outage, and all of them again when that one is stored', async () => {
    const turns: string[][] = [];
    const { file, records } = fileOf((operation) => {
      if (operation === 'oldest') turns.push([]);
    });
    for (const id of ['a', 'b', 'c']) records.set(id, serialize({ form: 1, request: endOf(id) }));
    const append = ({ event }: AppendRequest): Promise<AppendResult> => {
      turns.at(-1)?.push(event.id);
      return turns.length < 4
        ? Promise.reject(new EventLogUnavailable('the event log cannot be reached'))
        : Promise.resolve(APPENDED);
    };
    start({ file, append });
    while (records.size > 0) await settled();
    await settled();
    expect(turns).toEqual([['a', 'b', 'c'], ['a'], ['a'], ['a'], ['b', 'c'], []]);
    expect(reports).toEqual(['stored', 'stored', 'stored']);
  });

  it('stores the other records after an outage although the first one still waits', async () => {
    let isOut = true;
    const { file, records } = fileOf();
    for (const id of ['locked', 'b', 'c']) records.set(id, serialize({ form: 1, request: endOf(id) }));
    let refusals = 0;
    const append = ({ event }: AppendRequest): Promise<AppendResult> => {
      if (!isOut && event.id !== 'locked') return Promise.resolve(APPENDED);
      refusals += 1;
      isOut = refusals < 5;
      return Promise.reject(new EventLogUnavailable('another session keeps a lock'));
    };
    start({ file, append });
    while (records.size > 1) await settled();
    expect([...records.keys()]).toEqual(['locked']);
  });

  it('removes a record only after the work that follows its storage', async () => {
    const { file, records } = fileOf();
    const duplicate = new EventRejected('23505');
    let appends = 0;
    let followed = 0;
    start({
      file,
      append: () => {
        appends += 1;
        return appends === 1 ? Promise.resolve(APPENDED) : Promise.reject(duplicate);
      },
      isStored: () => Promise.resolve(true),
      afterStored: async () => {
        followed += 1;
        expect(records.size).toBe(1);
        if (followed === 1) throw new DatabaseError('55P03', 'lock timeout');
      },
    });
    expect(journal.keep(endOf('a'))).toBe(true);
    await ended.promise;
    expect(reports).toEqual(['stored']);
    expect({ appends, followed, left: records.size }).toEqual({ appends: 2, followed: 2, left: 0 });
  });

  it('drops a record that the database refuses for its content', async () => {
    const { file, records } = fileOf();
    start({ file, append: failing([new EventRejected('22P05')], APPENDED) });
    expect(journal.keep(endOf('a'))).toBe(true);
    await ended.promise;
    expect(reports).toEqual(['lost a: was refused by the database (SQLSTATE 22P05)']);
    expect(records.size).toBe(0);
  });
});
