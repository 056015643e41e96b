import { turnsOf } from './conversation.ts';

const text = (value: string, path: string) => ({ kind: 'text', text: value, path });
const said = (payload: unknown) => turnsOf(payload).map(({ role, parts }) => [role, ...parts]);

describe('The conversation of a stored Gemini call', () => {
  it('consists of the system instruction and the contents, with the paths of their masks', () => {
    const payload = {
      systemInstruction: { role: 'user', parts: [{ text: 'be brief' }] },
      contents: [
        { role: 'user', parts: [{ text: 'write to [EMAIL]' }, { text: 'now' }] },
        { role: 'model', parts: [{ text: 'done' }] },
        { parts: [{ text: 'thanks' }] },
      ],
    };
    expect(said(payload)).toEqual([
      ['system', text('be brief', 'systemInstruction.parts[0].text')],
      ['user', text('write to [EMAIL]', 'contents[0].parts[0].text'), text('now', 'contents[0].parts[1].text')],
      ['assistant', text('done', 'contents[1].parts[0].text')],
      ['user', text('thanks', 'contents[2].parts[0].text')],
    ]);
  });

  it('contains each candidate of an answer', () => {
    const candidates = [
      { content: { role: 'model', parts: [{ text: 'one' }] }, finishReason: 'STOP' },
      { content: { parts: [{ text: 'two' }] } },
    ];
    expect(said({ candidates })).toEqual([
      ['assistant', text('one', 'candidates[0].content.parts[0].text')],
      ['assistant', text('two', 'candidates[1].content.parts[0].text')],
    ]);
  });

  it('shows tool calls with their arguments, and their results as said by the tool, in both spellings', () => {
    const payload = {
      contents: [
        { role: 'model', parts: [{ functionCall: { name: 'look', args: { id: 7 } } }] },
        { role: 'user', parts: [{ function_response: { name: 'look', response: { found: true } } }] },
      ],
    };
    expect(said(payload)).toEqual([
      ['assistant', { kind: 'tool', name: 'look', value: { id: 7 }, path: 'contents[0].parts[0].functionCall.args' }],
      [
        'tool',
        {
          kind: 'tool',
          name: 'look',
          value: { found: true },
          path: 'contents[1].parts[0].function_response.response',
        },
      ],
    ]);
  });

  it('shows executed code and its output, and names files by their type', () => {
    const parts = [
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { executableCode: { language: 'PYTHON', code: 'print(1)' } },
      { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
      { file_data: { file_uri: 'https://example.com/a' } },
    ];
    expect(said({ contents: [{ role: 'user', parts }] })).toEqual([
      [
        'user',
        { kind: 'other', name: 'image/png' },
        {
          kind: 'tool',
          name: 'code',
          value: { language: 'PYTHON', code: 'print(1)' },
          path: 'contents[0].parts[1].executableCode',
        },
        text('1', 'contents[0].parts[2].codeExecutionResult.output'),
        { kind: 'other', name: 'file' },
      ],
    ]);
  });

  it('contains texts to be embedded and requests whose tokens are counted', () => {
    const content = { parts: [{ text: 'hello' }] };
    expect(said({ content })).toEqual([['user', text('hello', 'content.parts[0].text')]]);
    expect(said({ requests: [{ model: 'm', content }] })).toEqual([
      ['user', text('hello', 'requests[0].content.parts[0].text')],
    ]);
    expect(said({ generateContentRequest: { contents: [content] } })).toEqual([
      ['user', text('hello', 'generateContentRequest.contents[0].parts[0].text')],
    ]);
  });
});

describe('The conversation of a stored OpenAI call', () => {
  it('contains the results of functions', () => {
    const input = [
      { role: 'user', content: 'weather?' },
      { type: 'function_call', call_id: 'c', name: 'weather', arguments: '{"city":"Ulm"}' },
      { type: 'function_call_output', call_id: 'c', output: 'sunny' },
      { type: 'function_call_output', call_id: 'd', output: [{ type: 'input_text', text: 'warm' }] },
    ];
    expect(said({ input })).toEqual([
      ['user', text('weather?', 'input[0].content')],
      ['tool', { kind: 'tool', name: 'weather', value: '{"city":"Ulm"}', path: 'input[1].arguments' }],
      ['tool', text('sunny', 'input[2].output')],
      ['tool', text('warm', 'input[3].output[0].text')],
    ]);
  });

  it('consists of messages, tool calls and choices', () => {
    const called = { id: 'c', function: { name: 'look', arguments: '{}' } };
    expect(said({ messages: [{ role: 'system', content: 'brief' }, 'hi'] })).toEqual([
      ['system', text('brief', 'messages[0].content')],
      ['user', text('hi', 'messages[1]')],
    ]);
    expect(said({ choices: [{ message: { role: 'assistant', content: 'yes', tool_calls: [called] } }] })).toEqual([
      [
        'assistant',
        text('yes', 'choices[0].message.content'),
        {
          kind: 'tool',
          name: 'look',
          value: '{}',
          path: 'choices[0].message.tool_calls[0].function.arguments',
        },
      ],
    ]);
  });
});

describe('The conversation of a stored Anthropic call', () => {
  it('consists of the system text, the messages and the blocks of the answer', () => {
    expect(said({ system: [{ type: 'text', text: 'brief' }], messages: [{ role: 'user', content: 'hi' }] })).toEqual([
      ['system', text('brief', 'system[0].text')],
      ['user', text('hi', 'messages[0].content')],
    ]);
    expect(said({ role: 'assistant', content: [{ type: 'text', text: 'yes' }] })).toEqual([
      ['assistant', text('yes', 'content[0].text')],
    ]);
  });
});

it.each([null, 7, {}, { contents: [null, 7, { parts: null }] }, { candidates: [{ content: null }] }, { system: null }])(
  'A payload without a text has no conversation: %j',
  (payload) => {
    expect(turnsOf(payload)).toEqual([]);
  },
);
