import { isDeepStrictEqual } from 'node:util';
import { sampled } from '../../../test/support/sampled.js';
import { CallCollector, type FieldReader } from '../call/call-collector.js';
import { parseJson, parsingJson } from '../json/json-document.js';
import { isObject } from '../json/json-node.js';
import { atOnce, type Steps } from '../steps/steps.js';
import { decodeRequest, decodingRequest } from './decode-call.js';

const THINGS = 8_000;
const many = <Item>(item: (index: number) => Item): Item[] => Array.from({ length: THINGS }, (_, index) => item(index));
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Bodies with many items, each in a different field. */
const BODIES = {
  'parts of a message': { messages: [{ role: 'user', content: many((at) => ({ type: 'text', text: `part ${at}` })) }] },
  messages: { messages: many((at) => ({ role: 'user', content: `message ${at}` })) },
  'tool calls': {
    messages: [
      {
        role: 'assistant',
        tool_calls: many((at) => ({ id: `call_${at}`, type: 'function', function: { name: 'f', arguments: '{}' } })),
      },
    ],
  },
  'arguments of one call': {
    messages: [
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_1', function: { name: 'f', arguments: JSON.stringify(many((at) => `value ${at}`)) } }],
      },
    ],
  },
  'a member that no table names': { settings: Object.fromEntries(many((at) => [`key ${at}`, `value ${at}`])) },
  'data URLs in one text': { messages: [{ role: 'user', content: 'data:;base64,QUJD '.repeat(THINGS) }] },
  'a file in base64': {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'file', file: { file_data: `data:text/plain;base64,${base64('plain words '.repeat(THINGS * 25))}` } },
        ],
      },
    ],
  },
} as const;
/** Steps expected at least: one for every few hundred items or the equivalent number of characters. */
const MIN_STOPS = 20;

function stopsIn(steps: Steps<unknown>): number {
  let stops = 0;
  while (steps.next().done !== true) stops++;
  return stops;
}

describe('A body with many items', () => {
  it.each(Object.entries(BODIES))('is decoded in steps that yield to other work: %s', (_, body) => {
    const doc = parseJson(JSON.stringify({ model: 'm', ...body }));
    expect(stopsIn(decodingRequest('openai.chat', doc))).toBeGreaterThanOrEqual(MIN_STOPS);
  });

  it('is parsed in steps', () => {
    expect(stopsIn(parsingJson(JSON.stringify(BODIES.messages)))).toBeGreaterThanOrEqual(MIN_STOPS);
  });

  it.each(sampled(Object.entries(BODIES), 4))('has the same result in steps as at once: %s', (_, body) => {
    const json = JSON.stringify({ model: 'm', ...body });
    const steps = decodingRequest('openai.chat', parseJson(json));
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    // Much faster for large results than toEqual, which then only describes a failure.
    const whole = decodeRequest('openai.chat', parseJson(json));
    if (!isDeepStrictEqual(step.value, whole)) expect(step.value).toEqual(whole);
  });
});

describe('A reader of fields that does not continue steps it has started', () => {
  it('is an error, so that no text stays unread', () => {
    const doc = parseJson('{"field":["text"]}');
    const collector = new CallCollector(doc, 'past');
    const forgets: FieldReader = (_, node, place) => {
      collector.freeform(node, place);
      return undefined;
    };
    if (!isObject(doc.root)) throw new Error('the body is an object');
    const left = collector.fields(doc.root, { path: '', role: 'user' }, new Map([['field', forgets]]));
    expect(() => atOnce(collector.reading(left))).toThrow('unread');
  });
});
