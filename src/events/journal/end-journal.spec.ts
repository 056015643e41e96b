import { serialize } from 'node:v8';
import type { AppendRequest, AppendResult } from '../event.js';
import { EndJournal } from './end-journal.js';
import type { JournalFile } from './journal-file.js';

/** Records in memory. */
function fileOf(): { file: JournalFile; records: Map<string, Buffer> } {
  const records = new Map<string, Buffer>();
  const file = {
    get size() {
      return records.size;
    },
    add: (id: string, content: Buffer) => void records.set(id, content),
    oldest: (most: number) => [...records].slice(0, most).map(([id, content]) => ({ id, content })),
    delete: (id: string) => void records.delete(id),
  };
  return { file: file as unknown as JournalFile, records };
}

const endOf = (id: string) => ({ event: { id, accountId: 'acme' } }) as unknown as AppendRequest;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('The journal', () => {
  it('stores the records of its own worker while records that another worker left behind still wait', async () => {
    const own = fileOf();
    const left = fileOf();
    const isStored = () => Promise.resolve(false);
    const nothing = (): void => undefined;
    const observer = { kept: nothing, refused: nothing, stored: nothing, lost: nothing };
    // The append of a record that was left behind never ends.
    const append = ({ event }: AppendRequest): Promise<AppendResult> =>
      event.id === 'left' ? new Promise(() => undefined) : Promise.resolve({} as AppendResult);
    left.records.set('left', serialize({ form: 1, request: endOf('left') }));
    const journal = new EndJournal({ file: own.file, leftBehind: [left.file], append, isStored, observer });
    journal.start();
    await settled();
    expect(journal.keep(endOf('own'))).toBe(true);
    await settled();
    expect([...own.records.keys()]).toEqual([]);
    expect([...left.records.keys()]).toEqual(['left']);
  });
});
