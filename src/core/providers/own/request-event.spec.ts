import { request } from '../testdata/decoded.js';

/** The judged texts of an event's payload, each with its path. */
const texts = (payload: unknown): (readonly [path: string, text: string])[] =>
  request('weir.ai_request', { type: 'ai.request', request_id: 'r', payload }).segments.map(
    ({ path, text }) => [path, text] as const,
  );

describe('The payload of an ai.request event', () => {
  const notes = { type: 'input_text', text: 'x y' };
  const prompt = { id: 'pmpt_1', version: '2', variables: { city: 'Bonn', notes } };

  it.each([
    ['alone', { prompt }],
    ['next to an input', { model: 'gpt-4o', input: 'Hi', prompt }],
    ['next to messages', { messages: [{ role: 'user', content: 'Hi' }], prompt }],
  ])('is judged with the variables of a stored prompt %s', (_where, payload) => {
    const judged = texts(payload);
    expect(judged).toContainEqual(['prompt.variables.city', 'Bonn']);
    expect(judged).toContainEqual(['prompt.variables.notes.text', 'x y']);
  });

  it('is judged with the texts of messages that have other members than content', () => {
    const judged = texts({
      messages: [
        { role: 'user', parts: [{ text: 'x y' }] },
        { role: 'user', note: 'z' },
      ],
    });
    expect(judged).toContainEqual(['messages[0].parts[0].text', 'x y']);
    expect(judged).toContainEqual(['messages[1].note', 'z']);
  });
});
