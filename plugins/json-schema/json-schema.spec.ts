import {
  decodeAnswer,
  decodeRequest,
  parseJson,
  Unknown,
  type DecodedCall,
  type FactSet,
  type JsonValue,
} from '../../src/core/index.js';
import { jsonSchema } from './json-schema.js';

const mailSchema = {
  type: 'object',
  required: ['to'],
  properties: { to: { type: 'string' }, copies: { type: 'integer', minimum: 0 } },
};
const request = (body: object): DecodedCall => decodeRequest('openai.chat', parseJson(JSON.stringify(body)));
const withTool = (parameters?: JsonValue) =>
  request({
    messages: [],
    tools: [{ type: 'function', function: { name: 'send_mail', ...(parameters === undefined ? {} : { parameters }) } }],
  });
const answer = (message: object): DecodedCall =>
  decodeAnswer('openai.chat', parseJson(JSON.stringify({ choices: [{ message: { role: 'assistant', ...message } }] })));
const calling = (args: string, name = 'send_mail'): DecodedCall =>
  answer({ tool_calls: [{ id: '1', type: 'function', function: { name, arguments: args } }] });

function tool(call: DecodedCall, asked: DecodedCall | undefined, options: object = {}): FactSet[string] {
  const context = { toolCall: call.newToolCalls[0]!, ...(asked === undefined ? {} : { request: asked }) };
  return jsonSchema.read(call, context, jsonSchema.meta.options.parse(options))['tool_schema']!;
}
const output = (call: DecodedCall, asked?: DecodedCall, options: object = {}): FactSet[string] =>
  jsonSchema.read(call, asked === undefined ? {} : { request: asked }, jsonSchema.meta.options.parse(options))[
    'output_schema'
  ]!;

const ABSENT = { valid: null, errors: null, wrong: null };

describe('json-schema: arguments of a new tool call', () => {
  it('that follow the schema of the request are valid', () => {
    expect(tool(calling('{"to":"a"}'), withTool(mailSchema))).toEqual({
      declared: true,
      valid: true,
      errors: 0,
      wrong: [],
    });
  });

  it('that do not are counted, by the keywords they do not meet', () => {
    expect(tool(calling('{"copies":-1}'), withTool(mailSchema))).toEqual({
      declared: true,
      valid: false,
      errors: 2,
      wrong: ['minimum', 'required'],
    });
  });

  it('that are not JSON are wrong whatever the schema', () => {
    expect(tool(calling('{"to":'), withTool(mailSchema))).toMatchObject({ valid: false, errors: 1, wrong: ['json'] });
  });

  it('of a tool without a schema are neither', () => {
    expect(tool(calling('{}'), withTool())).toEqual({ declared: false, ...ABSENT });
    expect(tool(calling('{}', 'other'), withTool(mailSchema))).toEqual({ declared: false, ...ABSENT });
  });

  it('without the request are judged by the policy alone', () => {
    expect(tool(calling('{}'), undefined)).toEqual({ declared: null, ...ABSENT });
    expect(tool(calling('{}'), undefined, { tools: { send_mail: mailSchema } })).toMatchObject({
      declared: null,
      valid: false,
    });
  });

  it('have to follow the schema of the request and that of the policy', () => {
    const options = { tools: { send_mail: { properties: { to: { pattern: '@acme\\.example$' } } } } };
    expect(tool(calling('{"to":"a@acme.example"}'), withTool(mailSchema), options)).toMatchObject({ valid: true });
    expect(tool(calling('{"to":"a@evil.example"}'), withTool(mailSchema), options)).toMatchObject({
      wrong: ['pattern'],
    });
    expect(tool(calling('{"copies":1}'), withTool(mailSchema), options)).toMatchObject({ wrong: ['required'] });
  });

  it('that nobody named are wrong when the policy says so, and the schema nothing', () => {
    const refuse = { unknown_arguments: 'refuse' };
    const extra = calling('{"to":"a","bcc":"b"}');
    expect(tool(extra, withTool(mailSchema))).toMatchObject({ valid: true });
    expect(tool(extra, withTool(mailSchema), refuse)).toMatchObject({ wrong: ['additionalProperties'] });
    expect(tool(extra, withTool({ ...mailSchema, additionalProperties: true }), refuse)).toMatchObject({ valid: true });
  });

  it.each([
    ['malformed', { type: 'strin' }],
    ['of another syntax', { pattern: '(?=a)' }],
    ['endless', { $ref: '#' }],
  ])('are unknown under a schema that is %s, never valid', (_what, schema) => {
    expect(tool(calling('{}'), withTool(schema))).toEqual(new Unknown('unavailable', 'json-schema'));
  });
});

describe('json-schema: the text of an answer', () => {
  const asked = request({
    messages: [],
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object', required: ['sum'] } } },
  });

  it('follows the schema that the request asked for, or does not', () => {
    expect(output(answer({ content: '{"sum":1}' }), asked)).toEqual({ valid: true, errors: 0, wrong: [] });
    expect(output(answer({ content: '{}' }), asked)).toEqual({ valid: false, errors: 1, wrong: ['required'] });
    expect(output(answer({ content: 'The sum is 1.' }), asked)).toMatchObject({ wrong: ['json'] });
  });

  it('is not asked for where there is none, only a tool call, or a refusal', () => {
    expect(output(calling('{}'), asked)).toEqual(ABSENT);
    expect(output(answer({ content: null, refusal: 'No.' }), asked)).toEqual(ABSENT);
    expect(output(answer({ content: '{}' }), request({ messages: [] }))).toEqual(ABSENT);
  });

  it('follows the schema of the policy, also without the request', () => {
    const event = decodeAnswer('weir.ai_response', parseJson('{"type":"ai.response","payload":{"output":"[1]"}}'));
    expect(output(event, undefined, { output: { type: 'object' } })).toMatchObject({ valid: false, wrong: ['type'] });
  });

  it('is not looked for in a request', () => {
    expect(output(asked, undefined, { output: { type: 'object' } })).toEqual(ABSENT);
  });
});

describe('json-schema: options', () => {
  it.each([
    [{ tools: { a: { type: 'strin' } } }, '"type" needs a type'],
    [{ output: { $ref: '#/nowhere' } }, '"$ref" leads nowhere'],
    [{ tool: {} }, 'Unrecognized key'],
  ])('refuses %j', (options, why) => {
    expect(JSON.stringify(jsonSchema.meta.options.safeParse(options).error?.issues)).toContain(
      why.replaceAll('"', '\\"'),
    );
  });

  it('declares every fact that it gives', () => {
    const declared = new Set(jsonSchema.facts.map(({ name }) => name));
    const read = jsonSchema.read(calling('{}'), {}, jsonSchema.meta.options.parse({}));
    const given = Object.entries(read).flatMap(([root, facts]) =>
      Object.keys(facts as object).map((name) => `${root}.${name}`),
    );
    expect(given.filter((name) => !declared.has(name))).toEqual([]);
  });
});
