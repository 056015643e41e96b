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
  it('are valid if they match the schema in the request', () => {
    expect(tool(calling('{"to":"a"}'), withTool(mailSchema))).toEqual({
      declared: true,
      valid: true,
      errors: 0,
      wrong: [],
    });
  });

  it('yield a count of errors and the violated keywords if they do not match', () => {
    expect(tool(calling('{"copies":-1}'), withTool(mailSchema))).toEqual({
      declared: true,
      valid: false,
      errors: 2,
      wrong: ['minimum', 'required'],
    });
  });

  it('are invalid under any schema if they are not JSON', () => {
    expect(tool(calling('{"to":'), withTool(mailSchema))).toMatchObject({ valid: false, errors: 1, wrong: ['json'] });
  });

  it('are neither valid nor invalid for a tool without a schema', () => {
    expect(tool(calling('{}'), withTool())).toEqual({ declared: false, ...ABSENT });
    expect(tool(calling('{}', 'other'), withTool(mailSchema))).toEqual({ declared: false, ...ABSENT });
  });

  it('are checked only by the schema of the policy if there is no request', () => {
    expect(tool(calling('{}'), undefined)).toEqual({ declared: null, ...ABSENT });
    expect(tool(calling('{}'), undefined, { tools: { send_mail: mailSchema } })).toMatchObject({
      declared: null,
      valid: false,
    });
  });

  it('must match both the schema of the request and that of the policy', () => {
    const options = { tools: { send_mail: { properties: { to: { pattern: '@acme\\.example$' } } } } };
    expect(tool(calling('{"to":"a@acme.example"}'), withTool(mailSchema), options)).toMatchObject({ valid: true });
    expect(tool(calling('{"to":"a@evil.example"}'), withTool(mailSchema), options)).toMatchObject({
      wrong: ['pattern'],
    });
    expect(tool(calling('{"copies":1}'), withTool(mailSchema), options)).toMatchObject({ wrong: ['required'] });
  });

  it('that the schema neither mentions nor allows are invalid if the policy refuses unknown arguments', () => {
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
  ])('have unknown validity under a schema that is %s', (_what, schema) => {
    expect(tool(calling('{}'), withTool(schema))).toEqual(new Unknown('unavailable', 'json-schema'));
  });
});

describe('json-schema: the text of an answer', () => {
  const asked = request({
    messages: [],
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object', required: ['sum'] } } },
  });

  it('is checked against the schema in the request', () => {
    expect(output(answer({ content: '{"sum":1}' }), asked)).toEqual({ valid: true, errors: 0, wrong: [] });
    expect(output(answer({ content: '{}' }), asked)).toEqual({ valid: false, errors: 1, wrong: ['required'] });
    expect(output(answer({ content: 'The sum is 1.' }), asked)).toMatchObject({ wrong: ['json'] });
  });

  it('is not checked without a schema, for a tool call, or for a refusal', () => {
    expect(output(calling('{}'), asked)).toEqual(ABSENT);
    expect(output(answer({ content: null, refusal: 'No.' }), asked)).toEqual(ABSENT);
    expect(output(answer({ content: '{}' }), request({ messages: [] }))).toEqual(ABSENT);
  });

  it('is checked against the schema of the policy, even without the request', () => {
    const event = decodeAnswer('weir.ai_response', parseJson('{"type":"ai.response","payload":{"output":"[1]"}}'));
    expect(output(event, undefined, { output: { type: 'object' } })).toMatchObject({ valid: false, wrong: ['type'] });
  });

  it('is not read from a request', () => {
    expect(output(asked, undefined, { output: { type: 'object' } })).toEqual(ABSENT);
  });
});

describe('json-schema: the plugin', () => {
  it.each([
    [{ tools: { a: { type: 'strin' } } }, '"type" needs a type'],
    [{ output: { $ref: '#/nowhere' } }, '"$ref" points to nothing'],
    [{ tool: {} }, 'Unrecognized key'],
  ])('refuses the options %j', (options, why) => {
    expect(JSON.stringify(jsonSchema.meta.options.safeParse(options).error?.issues)).toContain(
      why.replaceAll('"', '\\"'),
    );
  });

  it('declares every fact that it returns', () => {
    const declared = new Set(jsonSchema.facts.map(({ name }) => name));
    const read = jsonSchema.read(calling('{}'), {}, jsonSchema.meta.options.parse({}));
    const given = Object.entries(read).flatMap(([root, facts]) =>
      Object.keys(facts as object).map((name) => `${root}.${name}`),
    );
    expect(given.filter((name) => !declared.has(name))).toEqual([]);
  });
});

describe('json-schema: facts that the caller alone chooses', () => {
  it('cannot soften a rule in production', () => {
    const named = jsonSchema.facts.filter(({ clientControlled }) => clientControlled).map(({ name }) => name);
    expect(named).toEqual(['tool_schema.declared']);
  });
});
