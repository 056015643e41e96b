import { parseJson } from '../json/json-document.js';
import { decodeAnswer } from '../providers/decode-call.js';

const ARGS = { cmd: 'ls' };
const JSON_ARGS = JSON.stringify(ARGS);

/** The answer to a call whose generation a provider refused. */
const decoded = (failed: unknown, message = 'Failed to call a function.') =>
  decodeAnswer(
    'generic',
    parseJson(JSON.stringify({ error: { message, type: 'invalid_request_error', failed_generation: failed } })),
  );
const callsIn = (failed: unknown) => decoded(failed).newToolCalls.map(({ name, args }) => ({ name, args }));

describe('The answer in an error, as a model wrote it,', () => {
  it.each<[string, unknown]>([
    ['after the name of a function', `<function=run_shell>${JSON_ARGS}</function>`],
    ['without the bracket after the name', `<function=run_shell${JSON_ARGS}</function>`],
    ['in parentheses', `<function=run_shell(${JSON_ARGS})></function>`],
    ['in a tag, as JSON', `<tool_call>\n{"name":"run_shell","arguments":${JSON_ARGS}}\n</tool_call>`],
    ['in a tag, with parameters', `<tool_call>{"name":"run_shell","parameters":${JSON_ARGS}}</tool_call>`],
    ['after other text', `I will list {the files}. <|python_tag|>{"name":"run_shell","parameters":${JSON_ARGS}}`],
    [
      'in a block of code',
      ['```json', `{"type":"function","name":"run_shell","parameters":${JSON_ARGS}}`, '```'].join('\n'),
    ],
    ['as JSON', JSON.stringify({ name: 'run_shell', arguments: ARGS })],
    ['as JSON with parameters', JSON.stringify({ type: 'function', name: 'run_shell', parameters: ARGS })],
    ['as JSON with arguments in a string', JSON.stringify({ name: 'run_shell', arguments: JSON_ARGS })],
    ['as a list', JSON.stringify([{ name: 'run_shell', arguments: ARGS }])],
    ['in a list of calls', JSON.stringify({ tool_calls: [{ function: { name: 'run_shell', arguments: JSON_ARGS } }] })],
    ['in a list of calls after other text', `Now: {"tool_calls":[{"name":"run_shell","arguments":${JSON_ARGS}}]}`],
    ['as an object that is not in a string', { name: 'run_shell', arguments: ARGS }],
  ])('contains its tool call %s', (_how, failed) => {
    expect(callsIn(failed)).toEqual([{ name: 'run_shell', args: ARGS }]);
  });

  it.each([
    '<function=run_shell>{"cmd":"ls}</function>',
    '<function=run_shell><parameter=cmd>ls</parameter></function>',
    '<invoke name="run_shell"><parameter name="cmd">ls</parameter></invoke>',
    '{"name": "run_shell", "arguments": {"cmd": "a\nb"}}',
    '{"name": "run_shell", "parameters": {"cmd": "ls"',
  ])('contains the name of a call whose arguments cannot be read: %j', (failed) => {
    expect(callsIn(failed)).toEqual([{ name: 'run_shell', args: undefined }]);
  });

  it('contains every call, and the calls within them', () => {
    const parallel = { tool_uses: [{ recipient_name: 'functions.run_shell', parameters: ARGS }] };
    const names = callsIn(
      `<function=search>{"q":"x"}</function> then <tool_call>{"name":"multi","arguments":${JSON.stringify(parallel)}}</tool_call>`,
    ).map(({ name }) => name);
    expect(names.sort()).toEqual(['functions.run_shell', 'multi', 'search']);
  });

  it('contains the calls within a call only once, however many names the call has', () => {
    const many = Array.from({ length: 300 }, (_, at) => `tool ${at}`);
    const args = { tool_uses: many.map(() => ({ recipient_name: 'functions.run_shell', parameters: ARGS })) };
    const call = `{${many.map((name) => `"name":"${name}"`).join()},"arguments":${JSON.stringify(args)}}`;
    const names = callsIn(`<tool_call>${call}</tool_call>`).map(({ name }) => name);
    expect(names.filter((name) => name === 'functions.run_shell')).toHaveLength(many.length);
    expect(new Set(names)).toEqual(new Set([...many, 'functions.run_shell']));
    expect(names).toHaveLength(2 * many.length);
  });

  it.each(['{"name":"Anna","age":3}', 'The name {Anna} is in "quotes', 'plain words', ''])(
    'contains no call in other text: %j',
    (failed) => {
      expect(callsIn(failed)).toEqual([]);
    },
  );

  it('is a text of the assistant, or of its calls, next to the texts of the error', () => {
    const rows = (failed: string) => decoded(failed, 'No').segments.map(({ path, role, text }) => [path, role, text]);
    expect(rows('Hello there')).toEqual(
      expect.arrayContaining([
        ['error.message', 'error', 'No'],
        ['error.failed_generation', 'assistant', 'Hello there'],
      ]),
    );
    const call = `<function=search>${JSON_ARGS}</function>`;
    expect(rows(call)).toContainEqual(['error.failed_generation', 'tool_call', call]);
    const { newToolCalls, segments } = decoded(call);
    expect(newToolCalls[0]?.segments.map((place) => segments[place]?.text)).toEqual([call]);
  });

  it('contains its calls, however many braces are around them', () => {
    const many = '{'.repeat(200_000) + '"name":"a","arguments":'.repeat(10) + '}'.repeat(100_000);
    expect(callsIn(many).map(({ name }) => name)).toEqual(Array.from({ length: 10 }, () => 'a'));
  });
});
