import { spanAttributes } from './span-attributes.js';

describe('What a trace says of an event', () => {
  it.each([
    ['that has a price', 'genai-prices@1', 'any text'],
    ['whose sender said what it cost', 'submitted', undefined],
    ['that has no price', undefined, undefined],
  ])('names the model of a call %s: %s, %s', (_what, priceVersion, named) => {
    const event = {
      id: 'e',
      type: 'ai.response',
      environment: 'production',
      decision: 'allow',
      model: 'any text',
    } as const;
    const said = spanAttributes({ ...event, ...(priceVersion === undefined ? {} : { priceVersion }) });
    expect(said['gen_ai.request.model']).toBe(named);
  });
});
