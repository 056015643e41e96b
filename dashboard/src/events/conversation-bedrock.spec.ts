import { turnsOf } from './conversation.ts';

const text = (value: string, path: string) => ({ kind: 'text', text: value, path });
const said = (payload: unknown) => turnsOf(payload).map(({ role, parts }) => [role, ...parts]);

describe('The conversation of a stored call of Converse', () => {
  it('consists of the system text and the messages, with the paths of their masks', () => {
    const payload = {
      system: [{ text: 'be brief' }, { cachePoint: { type: 'default' } }],
      messages: [
        { role: 'user', content: [{ text: 'write to [EMAIL]' }, { guardContent: { text: { text: 'and [EMAIL]' } } }] },
        { role: 'assistant', content: [{ text: 'done' }] },
      ],
      inferenceConfig: { maxTokens: 100 },
    };
    expect(said(payload)).toEqual([
      ['system', text('be brief', 'system[0].text')],
      [
        'user',
        text('write to [EMAIL]', 'messages[0].content[0].text'),
        text('and [EMAIL]', 'messages[0].content[1].guardContent.text.text'),
      ],
      ['assistant', text('done', 'messages[1].content[0].text')],
    ]);
  });

  it('has the calls of tools with their arguments, and their results as said by the tool', () => {
    const input = { city: 'Ulm' };
    const content = [{ text: 'sunny' }, { json: { degrees: 20 } }];
    const messages = [
      { role: 'assistant', content: [{ toolUse: { toolUseId: 't', name: 'weather', input } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 't', content, status: 'success' } }, { text: 'and now?' }] },
    ];
    const at = 'messages[1].content[0].toolResult.content';
    const parts = [text('sunny', `${at}[0].text`), { kind: 'value', value: { degrees: 20 }, path: `${at}[1].json` }];
    expect(said({ messages })).toEqual([
      [
        'assistant',
        { kind: 'tool', name: 'weather', value: input, path: 'messages[0].content[0].toolUse.input', id: 't' },
      ],
      ['tool', { kind: 'result', from: 'weather', id: 't', parts }],
      ['user', text('and now?', 'messages[1].content[1].text')],
    ]);
  });

  it('contains the message of the answer, with the reasoning of the model, also if only the provider can decrypt it', () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'Hm, [EMAIL].', signature: 's' } } },
      { reasoningContent: { redactedContent: 'AAAA' } },
      { citationsContent: { content: [{ text: 'yes' }], citations: [] } },
    ];
    const at = 'output.message.content';
    expect(said({ output: { message: { role: 'assistant', content } }, stopReason: 'end_turn' })).toEqual([
      [
        'assistant',
        { kind: 'reasoning', text: 'Hm, [EMAIL].', path: `${at}[0].reasoningContent.reasoningText.text` },
        { kind: 'other', name: 'encrypted reasoning' },
        text('yes', `${at}[2].citationsContent.content[0].text`),
      ],
    ]);
  });

  it('names files by their kind, and contains the text of a document', () => {
    const content = [
      { image: { format: 'png', source: { bytes: '[BINARY 4000]' } } },
      { document: { format: 'pdf', name: 'plan', source: { s3Location: { uri: 's3://bucket/plan.pdf' } } } },
      { document: { format: 'txt', name: 'notes', source: { text: 'the plan' } } },
      { document: { format: 'txt', name: 'parts', source: { content: [{ text: 'one part' }] } } },
    ];
    const at = 'messages[0].content';
    expect(said({ messages: [{ role: 'user', content }] })).toEqual([
      [
        'user',
        { kind: 'file', name: 'image', path: `${at}[0]`, bytes: 3000 },
        { kind: 'file', name: 'document', path: `${at}[1]`, bytes: undefined },
        text('the plan', `${at}[2].document.source.text`),
        text('one part', `${at}[3].document.source.content[0].text`),
      ],
    ]);
  });
});

describe('The conversation of a stored call of a model in its own format', () => {
  it.each([
    [{ inputText: 'hi' }, [['user', text('hi', 'inputText')]]],
    [{ results: [{ outputText: 'yes', tokenCount: 1 }] }, [['assistant', text('yes', 'results[0].outputText')]]],
    [{ prompt: 'hi', max_gen_len: 9 }, [['user', text('hi', 'prompt')]]],
    [{ generation: 'yes', stop_reason: 'stop' }, [['assistant', text('yes', 'generation')]]],
    [{ outputs: [{ text: 'yes', stop_reason: 'stop' }] }, [['assistant', text('yes', 'outputs[0].text')]]],
    [{ message: { role: 'assistant', content: 'yes' } }, [['assistant', text('yes', 'message.content')]]],
    [{ model: 'm', response: 'yes', done: true }, [['assistant', text('yes', 'response')]]],
  ])('has its text: %j', (payload, turns) => {
    expect(said(payload)).toEqual(turns);
  });

  it('has the history of Cohere before the message', () => {
    const history = [
      { role: 'USER', message: 'hi' },
      { role: 'CHATBOT', message: 'yes?' },
    ];
    expect(said({ chat_history: history, message: 'go on' })).toEqual([
      ['user', text('hi', 'chat_history[0].message')],
      ['assistant', text('yes?', 'chat_history[1].message')],
      ['text', text('go on', 'message')],
    ]);
  });
});

describe('A stored call in an unknown format', () => {
  it('is shown as data, so that its texts and their masks are not hidden', () => {
    const payload = { instances: [{ question: 'write to [EMAIL]' }] };
    expect(said(payload)).toEqual([['data', { kind: 'value', value: payload, path: '' }]]);
  });

  it('has no conversation if it contains no words, such as an embedding', () => {
    expect(turnsOf({ object: 'list', model: 'm-1', data: [{ embedding: [0.25, 0.5] }] })).toEqual([]);
  });

  it('shows a part of an unknown kind under its name', () => {
    const part = { type: 'poll', question: 'tea or coffee?' };
    const path = 'messages[0].content[0]';
    expect(said({ messages: [{ role: 'user', content: [part] }] })).toEqual([
      ['user', { kind: 'value', value: part, path, name: 'poll' }],
    ]);
  });
});
