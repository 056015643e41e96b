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

  it.each(['22003', '57P01', 'ECONNREFUSED'])(
    'keeps the code %s for the log line, but no value of the statement',
    (code) => {
      const line = errorForLog(new Error('outer', { cause: toDatabaseError(failure(code)) }));
      expect(line).toMatchObject({ cause: { code } });
      expect(JSON.stringify(line)).not.toContain('s3cr3t');
    },
  );
});
