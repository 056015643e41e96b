import { JsonSyntaxError } from '../json/json-parser.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { guard, whole } from './testdata/guarding.js';
import { chunk, frame } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(masks('mask.all', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }'));
const called = (call: object): string => said({ tool_calls: [{ index: 0, function: call }] });
const said = (delta: object): string => chunk([{ index: 0, delta }]);

describe('a text whose name is written in upper and in lower case', () => {
  it.each([
    ['then in upper case', [said({ content: 'TK-' }), said({ Content: '123 ' })]],
    ['then in lower case', [said({ Content: 'TK-' }), said({ content: '123 ' })]],
    ['of a tool call', [called({ arguments: '{"t":"TK-' }), called({ Arguments: '123"}' })]],
    ['then in both', [said({ content: 'TK-' }), said({ content: '', CONTENT: '123 ' })]],
  ])('is not forwarded, because clients in Go would join its pieces: %s', async (_order, events) => {
    await expect(guard(MASKING, 'openai.chat', events)).rejects.toThrow(JsonSyntaxError);
    await expect(whole(MASKING, 'openai.chat', events.join(''))).rejects.toThrow(JsonSyntaxError);
  });

  it('is forwarded if its vendor documents no text that continues', async () => {
    const events = [frame({ headers: { date: 'today', Date: 'Monday' } }), frame({ headers: { DATE: 'now' } })];
    expect((await guard(MASKING, 'generic', events)).text).toBe(events.join(''));
  });
});
