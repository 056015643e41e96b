import { parsingJson } from './json-document.js';

/** The number of stops while a text is parsed, and its value. */
function stopsOf(text: string): { readonly stops: number; readonly value: unknown } {
  const steps = parsingJson(text);
  for (let stops = 0; ; stops++) {
    const step = steps.next();
    if (step.done === true) return { stops, value: step.value.value };
  }
}

describe('JSON that is parsed in steps', () => {
  it('yields to other work after each long string', () => {
    const texts = Array.from({ length: 10 }, (_, index) => `${index} `.repeat(100_000));
    const { stops, value } = stopsOf(JSON.stringify(texts));
    expect(value).toEqual(texts);
    expect(stops).toBeGreaterThanOrEqual(texts.length);
  });

  it('has no stop in a short text', () => {
    expect(stopsOf(JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] })).stops).toBe(0);
  });
});
