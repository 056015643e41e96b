import fc from 'fast-check';
import type { FastifyRequest } from 'fastify';
import { WeirError } from '../http/index.js';
import { eventTexts, membersOf, MOST_EVENTS } from './batch-events.js';

const sent = (body: string, type = 'application/json') =>
  ({ headers: { 'content-type': type }, body: Buffer.from(body) }) as unknown as FastifyRequest;
const refusal = (body: string, type?: string): unknown => {
  try {
    return eventTexts(sent(body, type));
  } catch (error) {
    if (error instanceof WeirError) return error.options.details;
    throw error;
  }
};

describe('Splitting a batch into its events', () => {
  it('returns the members of any JSON array, regardless of its whitespace', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), fc.constantFrom('', ' ', '\n\t'), (values, indent) => {
        const members = membersOf(`${indent}${JSON.stringify(values, null, indent)}${indent}`);
        expect(members?.map((member) => JSON.parse(member) as unknown)).toEqual(JSON.parse(JSON.stringify(values)));
      }),
    );
  });

  it('does not accept a text as an array if it is not a JSON array', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', ':', '1', ' '), { maxLength: 12 }),
        (signs) => {
          const text = signs.join('');
          const members = membersOf(text);
          const read = (member: string): unknown => {
            try {
              return JSON.parse(member) as unknown;
            } catch {
              return undefined;
            }
          };
          const whole = read(text);
          // Each member is parsed separately, and a member that cannot be parsed gets its own answer.
          if (members?.every((member) => read(member) !== undefined) === true) expect(members.map(read)).toEqual(whole);
          else expect(Array.isArray(whole)).toBe(false);
        },
      ),
    );
  });

  it('returns the lines of a text except empty ones', () => {
    for (const type of ['application/x-ndjson', 'application/jsonl; charset=utf-8', 'Application/NDJSON'])
      expect(eventTexts(sent('{"a":1}\r\n\n  \n{"b":[2]}\n', type))).toEqual(['{"a":1}', '{"b":[2]}']);
  });

  it('reads each character of a body without an end once, however many quotation marks or line feeds it has', () => {
    const quotes = '\\"'.repeat(400_000);
    expect(membersOf(`["${quotes}`)).toBeUndefined();
    expect(membersOf(`["${quotes}"]`)).toEqual([`"${quotes}"`]);
    expect(membersOf(`["a\\\\",["b\\\\\\"]",{"c":"}"}]]`)).toEqual(['"a\\\\"', '["b\\\\\\"]",{"c":"}"}]']);
    expect(membersOf('['.repeat(4_000_000))).toBeUndefined();
    const feeds = '\n'.repeat(4_000_000);
    expect(eventTexts(sent(`${feeds} {"a":1}\r\n${feeds}{}`, 'application/jsonl'))).toEqual([' {"a":1}', '{}']);
  });

  it('names the fault of a body that is not a batch', () => {
    expect(refusal('{"type":"ai.request"}')).toEqual([{ path: '', message: 'must be a JSON array' }]);
    expect(refusal('[{}] {}')).toEqual([{ path: '', message: 'must be a JSON array' }]);
    expect(refusal('[{}')).toEqual([{ path: '', message: 'must be a JSON array' }]);
    expect(refusal('[ ]')).toEqual([{ path: '', message: 'must contain an event' }]);
    expect(refusal('\n\n', 'application/x-ndjson')).toEqual([{ path: '', message: 'must contain an event' }]);
    expect(refusal('[]', 'text/plain')).toEqual([
      { path: 'content-type', message: 'must be application/json or application/x-ndjson' },
    ]);
  });

  it('accepts the maximum number of events and no more', () => {
    const array = (count: number): string => JSON.stringify(Array(count).fill({}));
    const lines = (count: number): string => '{}\n'.repeat(count);
    const tooLong = [{ path: '', message: `must contain at most ${MOST_EVENTS} events` }];
    expect(eventTexts(sent(array(MOST_EVENTS)))).toHaveLength(MOST_EVENTS);
    expect(eventTexts(sent(lines(MOST_EVENTS), 'application/jsonl'))).toHaveLength(MOST_EVENTS);
    expect(refusal(array(MOST_EVENTS + 1))).toEqual(tooLong);
    expect(refusal(lines(MOST_EVENTS + 1), 'application/jsonl')).toEqual(tooLong);
  });
});
