import { spanAttributes } from './span-attributes.js';

describe('What a trace says of an event', () => {
  it.each([
    ['openai', 'gpt-4o', 'gpt-4o'],
    ['anthropic', 'claude-3-5-sonnet my words', undefined],
    ['openai', 'any text', undefined],
    [undefined, 'gpt-4o', undefined],
  ])('names a model only as the list of prices does: %s, %s', (provider, model, named) => {
    const event = { id: 'e', type: 'ai.response', environment: 'production', decision: 'allow', model } as const;
    const said = spanAttributes({ ...event, ...(provider === undefined ? {} : { provider }) });
    expect(said['gen_ai.request.model']).toBe(named);
  });
});
