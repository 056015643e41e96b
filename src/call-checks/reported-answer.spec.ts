import fc from 'fast-check';
import { WeirError } from '../http/index.js';
import { readBatch } from './reported-answer.js';

interface Item {
  readonly head: Record<string, unknown>;
  readonly body: Uint8Array;
}

const item = fc.record<Item>({
  head: fc.record(
    {
      call: fc.uuid(),
      status: fc.integer({ min: 100, max: 599 }),
      ended: fc.constantFrom('complete', 'aborted', 'error', 'unsent'),
      content_type: fc.string({ maxLength: 20 }),
      content_encoding: fc.constantFrom('gzip', 'br'),
      latency_ms: fc.double({ min: 0, max: 1e6, noNaN: true }),
    },
    { requiredKeys: ['call', 'status'] },
  ),
  // Line ends in bodies must not be taken for those between answers.
  body: fc.oneof(fc.uint8Array({ maxLength: 40 }), fc.constant(Buffer.from('\n\n{"call":1}\n'))),
});
const written = ({ head, body }: Item): Buffer =>
  Buffer.concat([Buffer.from(`${JSON.stringify({ ...head, length: body.length })}\n`), body, Buffer.from('\n')]);
const batch = fc.array(item, { minLength: 1, maxLength: 8 });

/** The result of reading: the answers, or the refusal. Any other error fails the test. */
function readOrRefused(body: Buffer) {
  try {
    return readBatch(body);
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    expect(error.type).toBe('invalid_request');
    expect(error.options.details?.every(({ path }) => path.startsWith('answers'))).toBe(true);
    return error;
  }
}

describe('a body of many answers', () => {
  it('is split into the original answers, in order and byte for byte', () => {
    fc.assert(
      fc.property(batch, (items) => {
        const read = readBatch(Buffer.concat(items.map(written)));
        expect(read).toHaveLength(items.length);
        items.forEach(({ head, body }, nth) => {
          const { call, status, ended = 'complete', content_type, content_encoding, latency_ms } = head;
          expect(read[nth]!.body.equals(body)).toBe(true);
          expect(read[nth]).toMatchObject({
            ...{ call, status, ended },
            ...(content_type === undefined ? {} : { contentType: content_type }),
            ...(content_encoding === undefined ? {} : { coding: content_encoding }),
            ...(latency_ms === undefined ? {} : { latencyMs: latency_ms === 0 ? expect.closeTo(0) : latency_ms }),
          });
        });
      }),
    );
  });

  it('is refused when truncated, unless the cut is between two answers: then the answers before the cut are read', () => {
    fc.assert(
      fc.property(batch, fc.nat(), (items, at) => {
        const parts = items.map(written);
        const whole = Buffer.concat(parts);
        const cut = at % whole.length;
        let end = 0;
        const isBoundary = cut > 0 && parts.some(({ length }) => (end += length) === cut);
        expect(Array.isArray(readOrRefused(whole.subarray(0, cut)))).toBe(isBoundary);
      }),
    );
  });

  it('is either read or refused with a path, whatever its bytes, and the refusal contains no value of the body', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each)),
      fc.tuple(batch, fc.nat(), fc.nat({ max: 255 })).map(([items, at, value]) => {
        const whole = Buffer.concat(items.map(written));
        whole[at % whole.length] = value;
        return whole;
      }),
    );
    fc.assert(
      fc.property(bytes, (body) => {
        readOrRefused(body);
      }),
    );
    const secret = readOrRefused(Buffer.from('{"call":"hunter2","length":0}\n\n'));
    expect(JSON.stringify(secret)).not.toContain('hunter2');
  });

  it.each([
    ['more answers than a hundred', Buffer.concat(Array.from({ length: 101 }, () => written(one()))), 'answers[100]'],
    ['a first line without end', Buffer.alloc(5_000, 'x'), 'answers[0]'],
    [
      'a length that is too large',
      Buffer.from(`${JSON.stringify({ ...one().head, length: 1e300 })}\n\n`),
      'answers[0].length',
    ],
    [
      'a length that is not whole',
      Buffer.from(`${JSON.stringify({ ...one().head, length: 0.5 })}\n\n`),
      'answers[0].length',
    ],
    [
      'a second answer without status',
      Buffer.concat([written(one()), written({ ...one(), head: { call: one().head['call'] } })]),
      'answers[1].status',
    ],
    ['a line that is a list', Buffer.from('[]\n\n'), 'answers[0]'],
    ['an unknown member', written({ ...one(), head: { ...one().head, statuss: 1 } }), 'answers[0].statuss'],
  ])('is refused with the path of the error: %s', (_what, body, path) => {
    const refused = readOrRefused(body);
    expect(refused).toBeInstanceOf(WeirError);
    expect((refused as WeirError).options.details?.map((detail) => detail.path)).toContain(path);
  });
});

function one(): Item {
  return { head: { call: '018f0000-0000-7000-8000-000000000000', status: 200 }, body: Buffer.from('{}') };
}
