import { segmentsOf } from './decode-call.js';
import { logprobEdits } from '../call/logprobs.js';
import { parseJson } from '../json/json-document.js';
import { applyEdits } from '../text/edit.js';
import { answer, BASE64, request, rows, type Row } from './testdata/decoded.js';

describe('decodeAnswer', () => {
  it('reads every choice of a chat completion, and its new tool calls', () => {
    const call = answer('openai.chat', {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1700000000,
      model: 'gpt-4o',
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: 'one',
            refusal: null,
            tool_calls: [{ id: 'c', type: 'function', function: { name: 'run_shell', arguments: '{"cmd":"ls"}' } }],
          },
          logprobs: { content: [{ token: 'one', bytes: [111] }] },
          finish_reason: 'tool_calls',
        },
        { index: 1, message: { role: 'assistant', content: 'two', reasoning: 'why' }, finish_reason: 'stop' },
      ],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    });
    expect(rows(call)).toEqual([
      ['choices[0].message.content', 'assistant', 'one'],
      ['choices[0].message.tool_calls[0].function.name', 'tool_call', 'run_shell'],
      ['choices[0].message.tool_calls[0].function.arguments.cmd', 'tool_call', 'cmd'],
      ['choices[0].message.tool_calls[0].function.arguments.cmd', 'tool_call', 'ls'],
      ['choices[1].message.content', 'assistant', 'two'],
      ['choices[1].message.reasoning', 'reasoning', 'why'],
    ]);
    expect(call.newToolCalls).toEqual([
      {
        id: 'c',
        name: 'run_shell',
        args: { cmd: 'ls' },
        path: 'choices[0].message.tool_calls[0]',
        segments: [1, 2, 3],
      },
    ]);
    expect(call.usage).toEqual({ promptTokens: 10, completionTokens: 5, cacheReadTokens: 4, reasoningTokens: 2 });
  });

  it('reads a message of Anthropic and counts cached input as input', () => {
    const call = answer('anthropic.messages', {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [
        { type: 'text', text: 'hi' },
        { type: 'tool_use', id: 't', name: 'transfer_funds', input: { to: 'x' } },
      ],
      stop_reason: 'tool_use',
      usage: {
        input_tokens: 3,
        cache_creation_input_tokens: 5,
        cache_read_input_tokens: 7,
        output_tokens: 11,
        service_tier: 'standard',
      },
    });
    expect(rows(call)).toEqual([
      ['content[0].text', 'assistant', 'hi'],
      ['content[1].name', 'tool_call', 'transfer_funds'],
      ['content[1].input.to', 'tool_call', 'to'],
      ['content[1].input.to', 'tool_call', 'x'],
    ]);
    expect(call.newToolCalls).toMatchObject([
      { id: 't', name: 'transfer_funds', args: { to: 'x' }, path: 'content[1]' },
    ]);
    expect(call.usage).toEqual({ promptTokens: 15, completionTokens: 11, cacheReadTokens: 7, cacheWriteTokens: 5 });
  });

  it('reads the output of responses, legacy completions and embeddings', () => {
    const responses = answer('openai.responses', {
      id: 'resp_1',
      object: 'response',
      instructions: 'echoed',
      output: [
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi', annotations: [] }] },
        { type: 'function_call', call_id: 'c', name: 'run_shell', arguments: '{}' },
        { type: 'mcp_call', id: 'm', name: 'fetch', arguments: '{"u":"x"}', output: 'page' },
      ],
      usage: { input_tokens: 4, input_tokens_details: { cached_tokens: 1 }, output_tokens: 2 },
    });
    expect(rows(responses).filter(([path]) => !path.endsWith('annotations'))).toEqual([
      ['instructions', 'system', 'echoed'],
      ['output[0].content[0].text', 'assistant', 'hi'],
      ['output[1].name', 'tool_call', 'run_shell'],
      ['output[2].name', 'tool_call', 'fetch'],
      ['output[2].arguments.u', 'tool_call', 'u'],
      ['output[2].arguments.u', 'tool_call', 'x'],
      ['output[2].output', 'tool_result', 'page'],
    ]);
    expect(responses.newToolCalls.map(({ name }) => name)).toEqual(['run_shell', 'fetch']);
    expect(responses.usage).toEqual({ promptTokens: 4, completionTokens: 2, cacheReadTokens: 1 });
    expect(rows(answer('openai.completions', { choices: [{ text: 'a' }, { text: 'b' }] }))).toEqual([
      ['choices[0].text', 'assistant', 'a'],
      ['choices[1].text', 'assistant', 'b'],
    ]);
    expect(
      rows(answer('openai.embeddings', { object: 'list', data: [{ embedding: [0.1] }, { embedding: BASE64 }] })),
    ).toEqual([]);
  });
});

describe('a program that a model writes', () => {
  const program = { type: 'program', id: 'p', call_id: 'c', code: 'await send({})', fingerprint: 'f' };

  it('is a call of the tool that runs it', () => {
    const { newToolCalls } = answer('openai.responses', { output: [program] });
    const args = { code: 'await send({})', fingerprint: 'f' };
    expect(newToolCalls).toMatchObject([{ id: 'c', name: 'programmatic_tool_calling', args, path: 'output[0]' }]);
  });

  it('has a result in the next request', () => {
    const result = { type: 'program_output', id: 'o', call_id: 'c', result: 'done', status: 'completed' };
    const { pastToolCalls, pastToolResults } = request('openai.responses', { input: [program, result] });
    expect(pastToolCalls).toHaveLength(1);
    expect(pastToolResults).toMatchObject([{ callId: 'c', name: 'programmatic_tool_calling' }]);
  });
});

describe('decoding an event of POST /v1/events', () => {
  it('reads an ai.request with paths relative to the payload', () => {
    const call = request('weir.ai_request', {
      type: 'ai.request',
      model: 'gpt-4o',
      metadata: { note: 'not here' },
      payload: {
        messages: [
          { role: 'system', content: 'sys' },
          { role: 'user', content: [{ type: 'text', text: 'hi' }] },
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'a', input: {} }] },
        ],
        tools: [{ name: 'a' }],
        max_tokens: 7,
        monitor_mode: true,
      },
    });
    expect(rows(call)).toEqual([
      ['messages[0].content', 'system', 'sys'],
      ['messages[1].content[0].text', 'user', 'hi'],
      ['messages[2].content[0].name', 'tool_call', 'a'],
      ['tools[0].name', 'tool_declaration', 'a'],
    ]);
    expect(call).toMatchObject({ model: 'gpt-4o', maxTokens: 7, newToolCalls: [], pastToolCalls: [{ name: 'a' }] });
    expect(rows(request('weir.ai_request', { payload: { prompt: 'p' } }))).toEqual([['prompt', 'user', 'p']]);
  });

  it.each<[string, unknown, Row[], string[]]>([
    ['a text', 'hi', [['output', 'assistant', 'hi']], []],
    [
      'parts of Anthropic',
      [
        { type: 'text', text: 'hi' },
        { type: 'tool_use', name: 'a', input: {} },
      ],
      [
        ['output[0].text', 'assistant', 'hi'],
        ['output[1].name', 'tool_call', 'a'],
      ],
      ['a'],
    ],
    [
      'tool calls of OpenAI',
      [{ id: 'c', type: 'function', function: { name: 'a', arguments: '{}' } }],
      [['output[0].function.name', 'tool_call', 'a']],
      ['a'],
    ],
    [
      'a message',
      { role: 'assistant', content: 'hi', tool_calls: [{ function: { name: 'a', arguments: '' } }] },
      [
        ['output.content', 'assistant', 'hi'],
        ['output.tool_calls[0].function.name', 'tool_call', 'a'],
        ['output.tool_calls[0].function.arguments', 'tool_call', ''],
      ],
      ['a'],
    ],
    [
      'a whole answer',
      {
        choices: [
          { message: { role: 'assistant', content: 'hi', tool_calls: [{ function: { name: 'a', arguments: '{}' } }] } },
        ],
      },
      [
        ['output.choices[0].message.content', 'assistant', 'hi'],
        ['output.choices[0].message.tool_calls[0].function.name', 'tool_call', 'a'],
      ],
      ['a'],
    ],
    [
      'items of responses',
      [{ type: 'function_call', name: 'a', arguments: '{}' }],
      [['output[0].name', 'tool_call', 'a']],
      ['a'],
    ],
  ])('reads an ai.response whose output is %s', (_name, output, expected, calls) => {
    const call = answer('weir.ai_response', {
      payload: { output, usage: { prompt_tokens: 1, completion_tokens: 2, cache_read_tokens: 1 }, cost_usd: 0.1 },
    });
    expect(rows(call)).toEqual(expected);
    expect(call.newToolCalls.map(({ name }) => name)).toEqual(calls);
    expect(call.usage).toEqual({ promptTokens: 1, completionTokens: 2, cacheReadTokens: 1 });
  });

  it('reads an agent.tool_call as one new call', () => {
    const call = request('weir.tool_call', {
      payload: {
        tool: 'send_mail',
        arguments: { to: 'a@x.org' },
        call_id: 'c1',
        session_id: 's',
        result: { ok: 'yes' },
      },
    });
    expect(rows(call)).toEqual([
      ['tool', 'tool_call', 'send_mail'],
      ['arguments.to', 'tool_call', 'to'],
      ['arguments.to', 'tool_call', 'a@x.org'],
      ['result.ok', 'tool_result', 'ok'],
      ['result.ok', 'tool_result', 'yes'],
    ]);
    expect(call.newToolCalls).toEqual([
      { id: 'c1', name: 'send_mail', args: { to: 'a@x.org' }, path: 'tool', segments: [0, 1, 2] },
    ]);
    expect(call.pastToolResults).toMatchObject([{ callId: 'c1', name: 'send_mail', segments: [3, 4] }]);
    expect(request('weir.tool_call', { payload: { tool: 'a', arguments: '{"x":1}' } }).newToolCalls[0]!.args).toEqual({
      x: 1,
    });
  });

  it('reads an ai.error', () => {
    const call = answer('weir.ai_error', {
      payload: { error: { type: 'timeout', message: 'for anna@x.org', status: 500 } },
    });
    expect(rows(call)).toContainEqual(['error.message', 'error', 'for anna@x.org']);
  });

  it('reads no texts of an event without a payload', () => {
    for (const dialect of ['weir.ai_request', 'weir.ai_response', 'weir.ai_error', 'weir.tool_call'] as const) {
      expect(request(dialect, {}).segments).toEqual([]);
    }
  });
});

describe('segmentsOf', () => {
  it('reads the texts below a path', () => {
    const doc = parseJson('{"metadata":{"user":"anna","tags":["x"],"n":12345678}}');
    expect(
      segmentsOf(doc, ['metadata'], 'metadata').map(({ path, role, text, key }) => [path, role, text, key]),
    ).toEqual([
      ['metadata.user', 'metadata', 'user', undefined],
      ['metadata.user', 'metadata', 'anna', 'user'],
      ['metadata.tags', 'metadata', 'tags', undefined],
      ['metadata.tags[0]', 'metadata', 'x', 'tags'],
      ['metadata.n', 'metadata', 'n', undefined],
      ['metadata.n', 'metadata', '12345678', 'n'],
    ]);
    expect(segmentsOf(doc, ['metadata', 'tags', '0'], 'metadata').map(({ path }) => path)).toEqual([
      'metadata.tags[0]',
    ]);
    expect(segmentsOf(doc, ['nothing', 'here'], 'metadata')).toEqual([]);
  });
});

describe('logprobEdits', () => {
  it.each<[string, object, object]>([
    ['SGLang', { meta: { output_token_logprobs: [[-0.1, 5, 'a']] } }, { meta: { output_token_logprobs: [] } }],
    ['vLLM', { prompt_logprobs: [null, { 5: { logprob: -0.1, decoded_token: 'a' } }] }, { prompt_logprobs: [] }],
    ['watsonx', { generated_tokens: [{ text: 'a', logprob: -0.1 }] }, { generated_tokens: [] }],
    ['Cohere', { token_likelihoods: [{ token: 'a', likelihood: -0.1 }] }, { token_likelihoods: [] }],
    ['AI21', { tokens: [{ generatedToken: { token: 'a', logprob: -1 }, topTokens: null }] }, { tokens: [] }],
    ['a list without names', { tokens: [['a', -0.25]] }, { tokens: [] }],
    ['a number with an exponent', { tokens: [{ text: 'a', logprob: -3.4028235e38 }] }, { tokens: [] }],
  ])('removes lists of tokens in the form of %s', (_what, body, expected) => {
    const doc = parseJson(JSON.stringify(body));
    expect(JSON.parse(applyEdits(doc.text, logprobEdits(doc)))).toEqual(expected);
  });

  it.each<[string, object]>([
    ['a property of a schema', { properties: { top_logprobs: { type: 'integer', description: 'a' } } }],
    ['likelihoods of events', { likelihoods: [{ event: 'rain', likelihood: 0.3 }] }],
    [
      'amounts of tokens',
      {
        tokens: [
          ['ETH', 0],
          ['BTC', -1],
        ],
      },
    ],
    ['names of tokens', { tokens: ['a', 'b'], stop_tokens: [] }],
    ['numbers of tokens', { usage: { completion_tokens: 3, avgLogprobs: -0.1 } }],
  ])('keeps %s', (_what, body) => {
    expect(logprobEdits(parseJson(JSON.stringify({ ...body, logprob: -0.1 })))).toEqual([]);
  });

  it('removes the texts of tokens and changes nothing else', () => {
    const doc = parseJson(
      '{"choices":[{"text":"a", "logprobs": {"tokens":["a"]} },{"logprobs":null}],"output":[{"logprobs":[{"token":"a"}]}]}',
    );
    expect(applyEdits(doc.text, logprobEdits(doc))).toBe(
      '{"choices":[{"text":"a", "logprobs": null },{"logprobs":null}],"output":[{"logprobs":[]}]}',
    );
  });

  it('removes lists of tokens under other names, and no list of answers with a log probability', () => {
    const doc = parseJson(
      '[{"generated_text":"a","details":{"tokens":[{"id":5,"text":"a","logprob":-0.1}]}},' +
        '{"content":"a","completion_probabilities":[{"content":"a"}]},{"choices":[{"text":"a","logprob":-0.1}]}]',
    );
    expect(applyEdits(doc.text, logprobEdits(doc))).toBe(
      '[{"generated_text":"a","details":{"tokens":[]}},' +
        '{"content":"a","completion_probabilities":[]},{"choices":[{"text":"a","logprob":-0.1}]}]',
    );
  });
});
