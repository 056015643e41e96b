import { createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { startErrorText } from './start-texts.js';

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('The error message of a failed start', () => {
  it('names the limit of open files, and how to raise it', () => {
    const error = Object.assign(new Error('listen EMFILE: too many open files'), { code: 'EMFILE' });
    expect(startErrorText(error)).toBe(
      'The limit of open files of this process is too low. Raise it (`ulimit -n 4096`, `LimitNOFILE` in systemd).',
    );
  });

  it('contains the reason from SQLite if the journal cannot be opened, but not its path', () => {
    const path = join(tmpdir(), 'weir-not-there', 'journal.db');
    const text = startErrorText(thrownBy(() => new DatabaseSync(path)));
    expect(text).toContain(
      'The journal in the data directory (WEIR_DATA_DIR) cannot be used: unable to open database file.',
    );
    expect(text).not.toContain(path);
  });

  it('contains the stack of an unexpected error, but not its message, which may contain anything', () => {
    const text = startErrorText(thrownBy(() => createServer().listen({ port: -1 })));
    expect(text).toMatch(/^Weir could not start: RangeError\.\n\s+at /);
    expect(text).not.toContain('-1');
    expect(text).not.toContain('options.port');
  });
});
