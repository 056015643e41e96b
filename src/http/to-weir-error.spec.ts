import { DatabaseError, DatabaseUnavailable } from '../database/index.js';
import { toWeirError } from './to-weir-error.js';

describe('the error for a client', () => {
  it.each([
    ['a lock that another request held too long', new DatabaseError('55P03', 'lock timeout')],
    ['a deadlock', new DatabaseError('40P01', 'deadlock detected')],
    ['a serialization failure', new DatabaseError('40001', 'could not serialize access')],
    ['a database that is not available', new DatabaseUnavailable('the database cannot be reached')],
  ])('asks to try again after %s', (_, thrown) => {
    const options = { retryAfterSeconds: 1, cause: thrown };
    expect(toWeirError(thrown)).toMatchObject({ type: 'unavailable', options });
  });

  it.each([
    ['a violated constraint', new DatabaseError('23505', 'duplicate key value')],
    ['a missing privilege', new DatabaseError('42501', 'permission denied')],
    ['an invalid statement', new DatabaseError('42601', 'syntax error')],
  ])('is an internal error after %s', (_, thrown) => {
    expect(toWeirError(thrown)).toMatchObject({ type: 'internal_error', options: { cause: thrown } });
  });
});
