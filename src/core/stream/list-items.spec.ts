import fc from 'fast-check';
import { assembleList } from './assemble-stream.js';
import { atOnce } from '../steps/steps.js';
import { findingListItems } from './list-items.js';

describe('a list in JSON', () => {
  it('is taken apart into the texts of its entries, however it is written', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.constantFrom(undefined, 2, '\t'), (values, indent) => {
        const text = ` ${JSON.stringify(values, null, indent)}\n`;
        const items = atOnce(findingListItems(text)).map(
          ({ start, end }) => JSON.parse(text.slice(start, end)) as unknown,
        );
        expect(items).toEqual(JSON.parse(text));
      }),
    );
  });

  it('of answers from Gemini is one answer: a text continues in the next entry, and edits are applied to the right entries', () => {
    const part = (text: string) => ({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] });
    const text = JSON.stringify([part('My key is TK-1'), part('23. '), part('Bye')], null, 2);
    const { call, edited } = assembleList('generic', text);
    const segment = call.segments.findIndex((each) => each.text.includes('TK-123'));
    expect(call.segments[segment]).toMatchObject({ text: 'My key is TK-123. Bye', role: 'assistant' });
    const masked = JSON.parse(edited([{ segment, start: 10, end: 16, replacement: '[X]' }])) as unknown;
    expect(masked).toEqual([part('My key is [X]'), part('. '), part('Bye')]);
  });
});
