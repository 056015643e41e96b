/** Calls of `run_shell` in the formats of providers, and answers that contain them. */
export const ARGS = { command: 'ls' };
export const LISTED = [{ name: 'command', type: 'string', value: 'ls' }];
export const CHAT_CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'run_shell', arguments: JSON.stringify(ARGS) },
};
export const CHAT = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [CHAT_CALL] } }],
};
export const ITEM = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'run_shell',
  arguments: JSON.stringify(ARGS),
};
export const RESPONSE = { id: 'resp_1', object: 'response', output: [ITEM] };
export const BLOCK = { type: 'tool_use', id: 'toolu_1', name: 'run_shell', input: ARGS };
export const MESSAGE = { id: 'msg_1', type: 'message', role: 'assistant', content: [BLOCK] };
export const TOOLS = [
  { type: 'function', function: { name: 'search', description: 'Searches', parameters: { type: 'object' } } },
];
export const RUN = {
  id: 'run_1',
  object: 'thread.run',
  status: 'requires_action',
  tools: TOOLS,
  required_action: { type: 'submit_tool_outputs', submit_tool_outputs: { tool_calls: [CHAT_CALL] } },
};
export const STEP = {
  id: 'step_1',
  object: 'thread.run.step',
  step_details: { type: 'tool_calls', tool_calls: [CHAT_CALL] },
};
export const GEMINI = {
  candidates: [
    {
      index: 0,
      content: { role: 'model', parts: [{ text: 'So.' }, { functionCall: { name: 'run_shell', args: ARGS } }] },
    },
  ],
};
export const BEDROCK = {
  output: {
    message: {
      role: 'assistant',
      content: [{ text: 'So.' }, { toolUse: { toolUseId: 'tooluse_1', name: 'run_shell', input: ARGS } }],
    },
  },
  stopReason: 'tool_use',
};
