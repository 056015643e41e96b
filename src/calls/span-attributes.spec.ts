import { spanAttributes } from './span-attributes.js';

describe('The attributes of an event in a trace', () => {
  it.each([
    ['openai', 'gpt-4o', 'gpt-4o'],
    ['anthropic', 'claude-3-5-sonnet my words', undefined],
    ['openai', 'any text', undefined],
    [undefined, 'gpt-4o', undefined],
  ])('name a model only if it is in the price list: %s, %s', (provider, model, named) => {
    const event = { id: 'e', type: 'ai.response', environment: 'production', decision: 'allow', model } as const;
    const said = spanAttributes({ ...event, ...(provider === undefined ? {} : { provider }) });
    expect(said['gen_ai.request.model']).toBe(named);
  });
});
