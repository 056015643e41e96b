import '../parts/stored-zone-for-tests.ts';
import { lossOf, resumeWords } from './job-words.ts';

type Words = Parameters<typeof lossOf>[0];

const FAILED: Words = {
  ...{ destination: { kind: 'download' }, state: 'failed', resumable: true, has_file: false, rows: 12 },
};
const BUCKET: Words['destination'] = {
  ...{ kind: 's3', bucket: 'audit', prefix: 'weir/', region: 'eu-central-1', endpoint: null, access_key_ends: 'WXYZ' },
};

describe('A failed export', () => {
  it('is resumed from the row after those that are stored, or only completed', () => {
    expect(resumeWords({ sha256: null }, '13')).toBe('Resume from row 13');
    expect(resumeWords({ sha256: '0'.repeat(64) }, '13')).toBe('Complete the upload');
  });

  it.each<[string, Words, string]>([
    ['whose rows are stored', FAILED, 'The 12 rows written so far are discarded.'],
    ['whose rows are deleted', { ...FAILED, resumable: false }, 'Its file was already deleted.'],
    [
      'with an incomplete upload',
      { ...FAILED, destination: BUCKET },
      'The incomplete upload of 12 rows to the bucket is discarded.',
    ],
    [
      'whose upload was discarded',
      { ...FAILED, destination: BUCKET, resumable: false },
      'Only the entry in this list is removed.',
    ],
  ])('%s is removed with a note about what is lost', (_, job, words) => {
    expect(lossOf(job)).toBe(words);
  });

  it('of one row is removed with a note about one', () => {
    expect(lossOf({ ...FAILED, rows: 1 })).toBe('The 1 row written so far is discarded.');
    expect(lossOf({ ...FAILED, resumable: false, has_file: true, rows: 1 })).toBe('The file of 1 row is deleted.');
  });
});
