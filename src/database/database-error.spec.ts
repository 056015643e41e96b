import { errorForLog } from '../http/index.js';
import { DatabaseError, DatabaseUnavailable, toDatabaseError } from './database-error.js';

const failure = (code: string) => Object.assign(new Error('value "s3cr3t" is out of range'), { code });

describe('toDatabaseError', () => {
  it('distinguishes a refusal from an outage by the code only', () => {
    expect(toDatabaseError(failure('22003'))).toBeInstanceOf(DatabaseError);
    for (const code of ['08006', '28P01', '3D000', '53300', '57P01', 'XX000', 'ECONNREFUSED', 'EPIPE']) {
      expect(toDatabaseError(failure(code))).toBeInstanceOf(DatabaseUnavailable);
    }
    expect(toDatabaseError('gone')).toBeInstanceOf(DatabaseUnavailable);
  });

  it('treats a server without free transaction ids as unavailable, and a value that exceeds a limit as refused', () => {
    for (const routine of ['GetNewTransactionId', 'GetNewMultiXactId'])
      expect(toDatabaseError(Object.assign(failure('54000'), { routine }))).toBeInstanceOf(DatabaseUnavailable);
    const tooLarge = toDatabaseError(Object.assign(failure('54000'), { routine: '_bt_check_third_page' }));
    expect(tooLarge).toMatchObject({ name: 'DatabaseError', isDataError: true });
  });

  it.each<[string | undefined, string | undefined]>([
    ['while inserting index tuple (0,1) in relation "event_ids"', 'event_ids'],
    ['beim Einfügen von Indextupel (0,1) in Relation »event_ids«', 'event_ids'],
    ['SQL statement "SELECT 1 FROM t WHERE text = \'s3cr3t\'"', undefined],
    ['PL/pgSQL function budget_apply(jsonb) line 3\nSQL statement "event_ids"', undefined],
    [undefined, undefined],
  ])('names the table of the locked row after a lock timeout with the context %s', (where, table) => {
    const error = toDatabaseError(Object.assign(failure('55P03'), { where }));
    expect(error).toMatchObject({ isLockTimeout: true, lockedTable: table });
  });

  it.each(['22003', '57P01', 'ECONNREFUSED'])(
    'keeps the code %s for the log line, but no value of the statement',
    (code) => {
      const line = errorForLog(new Error('outer', { cause: toDatabaseError(failure(code)) }));
      expect(line).toMatchObject({ cause: { code } });
      expect(JSON.stringify(line)).not.toContain('s3cr3t');
    },
  );
});
