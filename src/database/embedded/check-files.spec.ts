import { DatabaseUnusable } from '../database-error.js';
import { openingFailure } from './check-files.js';

const FOLDER = '/var/lib/weir/db';

/** What an operator reads when the embedded database fails to open with this message and code. */
const saidOf = (message: string, code?: string): string =>
  openingFailure(FOLDER, Object.assign(new Error(message), { code })).message;

describe('The failure of the embedded database to open', () => {
  it.each([
    ['EMFILE: too many open files, open', 'EMFILE'],
    ['could not open file "base/5/1259": Too many open files', undefined],
  ])('is reported as a low limit of open files, with the command that raises it: %s', (message, code) => {
    expect(saidOf(message, code)).toMatch(/limit of open files.*ulimit -n 4096/);
    expect(saidOf(message, code)).not.toMatch(/damaged/);
  });

  it('is reported as a full disk', () => {
    expect(saidOf('could not write: No space left on device')).toContain(`the disk of ${FOLDER} is full`);
  });

  it('is reported as missing permission, with the path', () => {
    expect(openingFailure(FOLDER, Object.assign(new Error('denied'), { code: 'EACCES', path: '/x' })).message).toMatch(
      /no permission to read and write \/x/,
    );
  });

  it('is reported as damage with the folder and the next step, without messages for developers of the database', () => {
    const words = saidOf('Aborted(Assertion failed). Build with -sASSERTIONS for more info.');
    expect(words).toContain(FOLDER);
    expect(words).toMatch(/damaged.*Restore the folder from a backup/s);
    expect(words).not.toMatch(/assert/i);
  });

  it('keeps an error that already names the file', () => {
    const error = new DatabaseUnusable('The embedded database is damaged: x has 3 bytes');
    expect(openingFailure(FOLDER, error)).toBe(error);
  });
});
