import { DatabaseError } from '../database/index.js';
import { BatchParts } from './batch-parts.js';

interface Request {
  readonly id: string;
  readonly names: readonly string[];
  readonly keyName: string;
}

const LOCKED = new DatabaseError('55P03', 'canceling statement due to lock timeout');

/** A request that is related only to those with a common name. */
const request = (id: string, { names = [id], keyName = 'a key' }: Partial<Request> = {}): Request => ({
  id,
  names,
  keyName,
});

/** Divides a batch that a database refused because of some of its requests. */
async function divided(batch: readonly Request[], locked: readonly string[]) {
  const tried: string[] = [];
  const refused: string[] = [];
  const parts = new BatchParts<Request>(
    (items) => {
      tried.push(items.map(({ id }) => id).join(' '));
      return Promise.resolve(items.some(({ id }) => locked.includes(id)) ? LOCKED : undefined);
    },
    ({ id }) => refused.push(id),
  );
  await parts.settle(batch, LOCKED);
  return { tried, refused };
}

describe('A batch that the database refused', () => {
  it('is stored without the refused request, the largest parts first', async () => {
    const batch = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((id) => request(id));
    expect(await divided(batch, ['c'])).toEqual({
      tried: ['a b c d', 'e f g h', 'a b', 'c d', 'c', 'd'],
      refused: ['c'],
    });
  });

  it('is refused request by request if all of its requests are the reason', async () => {
    const batch = ['a', 'b', 'c'].map((id) => request(id));
    expect((await divided(batch, ['a', 'b', 'c'])).refused.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('is not sent again if it has only one request', async () => {
    expect(await divided([request('a')], ['a'])).toEqual({ tried: [], refused: ['a'] });
  });

  it('keeps the order of related requests, which are not stored before the first ones are settled', async () => {
    const [call, session] = ['request 1', 'session 1'];
    const batch = [
      request('begin', { names: [call] }),
      request('other'),
      request('step', { names: [session] }),
      request('end', { names: [call, session] }),
    ];
    expect(await divided(batch, ['step'])).toEqual({
      tried: ['begin step end', 'other', 'begin step', 'begin', 'step', 'end'],
      refused: ['step'],
    });
  });

  it('is divided by keys first, because a lock often affects one key', async () => {
    const batch = ['a', 'b', 'c', 'd', 'e', 'f'].map((id, index) => request(id, { keyName: `key ${index % 2}` }));
    const { tried } = await divided(batch, ['a', 'c', 'e']);
    expect(tried.slice(0, 2)).toEqual(['a c e', 'b d f']);
  });
});
