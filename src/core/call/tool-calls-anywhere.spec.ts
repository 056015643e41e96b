import { decodeAnswer } from '../providers/decode-call.js';
import { parseJson } from '../json/json-document.js';
import {
  ARGS,
  LISTED,
  CHAT_CALL,
  CHAT,
  ITEM,
  RESPONSE,
  BLOCK,
  MESSAGE,
  TOOLS,
  RUN,
  STEP,
  GEMINI,
  BEDROCK,
} from './testdata/called-tools.js';

/** Answers that call `run_shell` with a command. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  'a chat completion': CHAT,
  'a response': RESPONSE,
  'a message': MESSAGE,
  'the lines of a batch of chat completions': [
    { id: 'batch_req_1', custom_id: 'a', response: { status_code: 200, request_id: 'r', body: CHAT }, error: null },
  ],
  'the lines of a batch of responses': [
    { id: 'batch_req_1', custom_id: 'a', response: { status_code: 200, body: RESPONSE } },
  ],
  'one line of a batch': { id: 'batch_req_1', custom_id: 'a', response: { status_code: 200, body: CHAT } },
  'the lines of a batch of messages': [{ custom_id: 'a', result: { type: 'succeeded', message: MESSAGE } }],
  'one line of a batch of messages': { custom_id: 'a', result: { type: 'succeeded', message: MESSAGE } },
  'a run of an assistant': RUN,
  'a list of runs': { object: 'list', data: [RUN] },
  'a step of a run': STEP,
  'a list of steps': { object: 'list', data: [STEP] },
  'a list of stored completions': { object: 'list', data: [CHAT] },
  'a list of items': { object: 'list', data: [ITEM] },
  'a list of messages': { object: 'list', data: [CHAT.choices[0]!.message] },
  'a message of the old kind': {
    choices: [{ index: 0, message: { role: 'assistant', function_call: CHAT_CALL.function } }],
  },
  'an answer of Gemini': GEMINI,
  'a list of answers of Gemini': [GEMINI],
  'an answer of Gemini in a batch': { response: { inlinedResponses: { inlinedResponses: [{ response: GEMINI }] } } },
  'an answer of Bedrock': BEDROCK,
  'an answer that is wrapped': {
    success: true,
    result: { response: null, tool_calls: [{ name: 'run_shell', arguments: ARGS }] },
  },
  'one item of a conversation': ITEM,
  'one block of a message': BLOCK,
  'a name and arguments': { name: 'run_shell', arguments: ARGS },
  'a name and args in an unknown place': { artifacts: [{ data: { name: 'run_shell', args: ARGS } }] },
  'keys in another case, which clients in Go read': {
    Message: { Role: 'assistant', Tool_Calls: [{ Function: { Name: 'run_shell', arguments: ARGS } }] },
  },
  'an answer in an unknown place': { novel: { wrapper: [[{ answer: CHAT }]] } },
  'a call of Cohere': { message: { tool_calls: [CHAT_CALL] } },
  'a call of the first Cohere': { text: '', tool_calls: [{ name: 'run_shell', parameters: ARGS }] },
  'a conversation of Mistral': { outputs: [{ type: 'function.call', name: 'run_shell', arguments: ARGS }] },
  'a tool that Gemini runs': {
    candidates: [{ content: { parts: [{ toolCall: { toolType: 'run_shell', args: ARGS } }] } }],
  },
  'a live session of Gemini': { toolCall: { functionCalls: [{ name: 'run_shell', args: ARGS }] } },
  'control that an agent of Bedrock returns': {
    returnControl: { invocationInputs: [{ functionInvocationInput: { function: 'run_shell', parameters: LISTED } }] },
  },
  'an action of an agent of Bedrock': {
    apiInvocationInput: {
      apiPath: 'run_shell',
      requestBody: { content: { 'application/json': { properties: LISTED } } },
    },
  },
  'a step of an agent of Bedrock': {
    trace: { actionGroupInvocationInput: { function: 'run_shell', parameters: LISTED } },
  },
  'a tool of Groq': { choices: [{ message: { executed_tools: [{ type: 'run_shell', arguments: ARGS }] } }] },
  'a tool of Vercel’s gateway': { content: [{ type: 'tool-call', toolName: 'run_shell', input: ARGS }] },
  'a member in capitals, without arguments by a known name': {
    Output: { Message: { Content: [{ ToolUse: { name: 'run_shell', input: ARGS } }] } },
  },
  'a call that LangChain could not parse': { invalid_tool_calls: [{ name: 'run_shell', args: JSON.stringify(ARGS) }] },
  'an action of an agent of LangChain': { action: { tool: 'run_shell', tool_input: ARGS } },
  'a tool and its arguments': { plan: [{ tool: 'run_shell', arguments: ARGS }] },
  'a tool’s name and its args': { step: { tool_name: 'run_shell', tool_args: ARGS } },
  'a function’s name and its arguments': { step: { function_name: 'run_shell', arguments: ARGS } },
  'a function that is a name, and parameters': { step: { function: 'run_shell', parameters: ARGS } },
  'a part of a message of Vercel’s': {
    parts: [{ type: 'tool-run_shell', toolCallId: 'x', state: 'input-available', input: ARGS }],
  },
  'an event of AG-UI': { type: 'TOOL_CALL_START', toolCallId: 'x', toolCallName: 'run_shell', args: ARGS },
  'a part of Pydantic AI': {
    parts: [{ part_kind: 'tool-call', tool_name: 'run_shell', args: ARGS, tool_call_id: 'x' }],
  },
  'an item of Semantic Kernel': {
    Items: [{ $type: 'FunctionCallContent', FunctionName: 'run_shell', PluginName: 'ops', Arguments: ARGS }],
  },
  'JSON in a string for a list of calls': { choices: [{ message: { tool_calls: JSON.stringify([CHAT_CALL]) } }] },
  'JSON in a string for each call': { choices: [{ message: { tool_calls: [JSON.stringify(CHAT_CALL)] } }] },
  'JSON in a string for a function': {
    choices: [{ message: { tool_calls: [{ type: 'function', function: JSON.stringify(CHAT_CALL.function) }] } }],
  },
  'JSON in a string for a body': { statusCode: 200, body: JSON.stringify(CHAT) },
  'JSON in JSON in a string': { novel: JSON.stringify({ body: JSON.stringify(MESSAGE) }) },
};

describe('tool calls of answers', () => {
  it.each(Object.entries(ANSWERS))('are read in %s', (_what, answer) => {
    const { newToolCalls, pastToolCalls } = decodeAnswer('generic', parseJson(JSON.stringify(answer)));
    expect(newToolCalls.map(({ name, args }) => ({ name, args }))).toEqual([{ name: 'run_shell', args: ARGS }]);
    expect(pastToolCalls).toEqual([]);
  });

  it.each(Object.entries(ANSWERS))('leave every string of the answer readable as a text: %s', (_what, answer) => {
    const canary = 'canary text';
    const strings: string[] = [];
    const marked = JSON.stringify(answer, (key, value: unknown) => {
      if (typeof value !== 'string' || ['type', 'arguments', 'name', 'role'].includes(key)) return value;
      strings.push(`${canary} ${strings.length}`);
      return strings.at(-1);
    });
    const texts = new Set(decodeAnswer('generic', parseJson(marked)).segments.map(({ text }) => text));
    expect(strings.filter((each) => !texts.has(each))).toEqual([]);
  });

  it.each<[string, unknown, string[]]>([
    [
      'code of Gemini',
      { candidates: [{ content: { role: 'model', parts: [{ executableCode: { language: 'PYTHON', code: 'x' } }] } }] },
      ['code_execution'],
    ],
    [
      'a tool of a server',
      { content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }] },
      ['web_search'],
    ],
    [
      'a tool of MCP',
      { output: [{ type: 'mcp_call', id: 'm', server_label: 's', name: 'run_shell', arguments: '{}' }] },
      ['run_shell'],
    ],
    [
      'a computer',
      { output: [{ type: 'computer_call', call_id: 'c', action: { type: 'click', x: 1, y: 2 } }] },
      ['computer'],
    ],
    [
      'a shell',
      { output: [{ type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: ['ls'] } }] },
      ['local_shell'],
    ],
    [
      'a shell in a member that may contain calls',
      { novel: { tool_call: { type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: ['ls'] } } } },
      ['local_shell'],
    ],
    [
      'a custom tool',
      { output: [{ type: 'custom_tool_call', call_id: 'c', name: 'run_shell', input: 'ls' }] },
      ['run_shell'],
    ],
    [
      'arguments in pieces, as CopilotKit has them',
      {
        novel: [{ __typename: 'ActionExecutionMessageOutput', name: 'run_shell', arguments: ['{"command":', '"ls"}'] }],
      },
      ['run_shell'],
    ],
    [
      'an action of CopilotKit',
      { type: 'ActionExecutionStart', actionExecutionId: 'x', actionName: 'run_shell' },
      ['run_shell'],
    ],
    [
      'a part of Pydantic AI without arguments',
      { parts: [{ part_kind: 'tool-call', tool_name: 'run_shell', tool_call_id: 'x' }] },
      ['run_shell'],
    ],
    [
      'code of an assistant',
      {
        step_details: {
          type: 'tool_calls',
          tool_calls: [{ id: 'c', type: 'code_interpreter', code_interpreter: { input: 'x' } }],
        },
      },
      ['code_interpreter'],
    ],
  ])('are read for %s', (_what, answer, names) => {
    const { newToolCalls } = decodeAnswer('generic', parseJson(JSON.stringify(answer)));
    expect(newToolCalls.map(({ name }) => name)).toEqual(names);
  });

  it.each<[string, string]>([
    ['the name twice', '{"content":[{"type":"tool_use","name":"run_shell","name":"search","input":{}}]}'],
    [
      'the name before many others',
      `{"content":[{"type":"tool_use","name":"run_shell",${Array.from({ length: 20 }, (_, at) => `"name":"n${at}"`).join()},"input":{}}]}`,
    ],
    ['the name in another case', '{"content":[{"type":"tool_use","Name":"run_shell","name":"search","input":{}}]}'],
    [
      'the function twice',
      '{"tool_calls":[{"function":{"name":"run_shell","arguments":"{}"},"function":{"name":"search","arguments":"{}"}}]}',
    ],
    [
      'a name beside the function',
      '{"tool_calls":[{"name":"run_shell","function":{"name":"search","arguments":"{}"}}]}',
    ],
    ['the type twice', '{"content":[{"type":"tool_use","type":"text","name":"run_shell","input":{}}]}'],
    ['an empty custom beside the function', '{"novel":[{"Function":{"name":"run_shell"},"custom":{}}]}'],
    ['the list twice', '{"tool_calls":[{"function":{"name":"run_shell"}}],"tool_calls":[]}'],
  ])('are judged under every name that a client could read: %s', (_what, answer) => {
    expect(decodeAnswer('generic', parseJson(answer)).newToolCalls.map(({ name }) => name)).toContain('run_shell');
  });

  const SAMPLE = `[${JSON.stringify(ITEM)}]`;
  it.each<[string, object]>([
    ['instructions', { ...RESPONSE, output: [], instructions: SAMPLE }],
    ['instructions that are items', { ...RESPONSE, output: [], instructions: [{ role: 'user', content: 'x' }, ITEM] }],
    ['the input of the request', { ...RESPONSE, output: [], input: [ITEM] }],
    ['the variables of the prompt', { ...RESPONSE, output: [], prompt: { id: 'pmpt_1', variables: { sample: SAMPLE } } }],
    ['a schema with a sample', { ...RESPONSE, output: [], text: { format: { type: 'json_schema', schema: { examples: [ITEM] } } } }],
    ['instructions of a run', { ...RUN, required_action: null, instructions: SAMPLE }],
    ['instructions of a run in a list', { object: 'list', data: [{ ...RUN, required_action: null, instructions: SAMPLE }] }],
    ['instructions of a line of a batch', { custom_id: 'a', response: { body: { ...RESPONSE, output: [], instructions: SAMPLE } } }],
  ])('do not include parts of the request that an answer repeats: %s', (_what, answer) => {
    for (const dialect of ['openai.responses', 'generic'] as const)
      expect(decodeAnswer(dialect, parseJson(JSON.stringify(answer))).newToolCalls).toEqual([]);
  }); // prettier-ignore

  it('are read in the messages of the state that an agent server returns', () => {
    const messages = [
      { type: 'human', content: 'hi' },
      { type: 'ai', content: '', tool_calls: [{ name: 'run_shell', args: ARGS, id: '1' }] },
    ];
    for (const dialect of ['openai.chat', 'gemini.generate', 'generic'] as const)
      for (const state of [{ messages }, { messages, output: 'done' }, { values: { messages } }]) {
        const { newToolCalls } = decodeAnswer(dialect, parseJson(JSON.stringify(state)));
        expect(newToolCalls).toMatchObject([{ name: 'run_shell', args: ARGS }]);
      }
    const beside = { ...CHAT, choices: [], messages };
    expect(decodeAnswer('openai.chat', parseJson(JSON.stringify(beside))).newToolCalls).toEqual([]);
  });

  it('are read next to parts of the request that an answer repeats', () => {
    const answer = { ...RESPONSE, instructions: [{ ...ITEM, name: 'search' }], input: SAMPLE };
    const { newToolCalls } = decodeAnswer('openai.responses', parseJson(JSON.stringify(answer)));
    expect(newToolCalls.map(({ name }) => name)).toEqual(['run_shell']);
  });

  it('do not include offered tools, or calls inside arguments', () => {
    const offered = { data: [{ ...RUN, required_action: null }], response: { tools: TOOLS } };
    const args = { arguments: { tool_calls: [CHAT_CALL], nested: BLOCK }, name: 'search' };
    expect(decodeAnswer('generic', parseJson(JSON.stringify(offered))).newToolCalls).toEqual([]);
    const { newToolCalls } = decodeAnswer('generic', parseJson(JSON.stringify({ tool_calls: [args] })));
    expect(newToolCalls.map(({ name }) => name)).toEqual(['search']);
  });
});
