import fc from 'fast-check';
import type { Dialect } from '../model/call.js';
import { decodeRequest } from './decode-call.js';
import { parseJson } from '../json/json-document.js';
import { answer, BASE64, request, rows, type Row } from './testdata/decoded.js';

describe('decodeRequest of chat completions', () => {
  const body = {
    model: 'gpt-4o',
    stream: true,
    max_completion_tokens: 100,
    temperature: 0.2,
    messages: [
      { role: 'developer', content: 'be brief' },
      { role: 'user', name: 'anna', content: 'hello' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${BASE64}`, detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://x.org/a.png?k=v' } },
          { type: 'input_audio', input_audio: { data: BASE64, format: 'wav' } },
          { type: 'file', file: { filename: 'cv.pdf', file_data: `data:application/pdf;base64,${BASE64}` } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        refusal: 'no',
        reasoning_content: 'hmm',
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'mail', arguments: '{"to":"a@x.org","n":[1,{"cc":"b"}]}' },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: 'sent' },
      { role: 'assistant', function_call: { name: 'old', arguments: 'not json' } },
      { role: 'function', name: 'old', content: [{ type: 'text', text: 'done' }] },
    ],
    tools: [
      {
        type: 'function',
        function: { name: 'mail', description: 'sends', parameters: { properties: { to: { description: 'who' } } } },
      },
    ],
    functions: [{ name: 'old', description: 'old one' }],
    user: 'user-77',
    metadata: { team: 'blue' },
    unknown_field: { deep: ['secret place'] },
  };

  it('reads every text with its path and its role', () => {
    expect(rows(request('openai.chat', body))).toEqual([
      ['messages[0].content', 'system', 'be brief'],
      ['messages[1].name', 'user', 'anna'],
      ['messages[1].content', 'user', 'hello'],
      ['messages[2].content[0].text', 'user', 'look'],
      ['messages[2].content[2].image_url.url', 'user', 'https://x.org/a.png?k=v'],
      ['messages[2].content[4].file.filename', 'user', 'cv.pdf'],
      ['messages[3].refusal', 'assistant', 'no'],
      ['messages[3].reasoning_content', 'reasoning', 'hmm'],
      ['messages[3].tool_calls[0].function.name', 'tool_call', 'mail'],
      ['messages[3].tool_calls[0].function.arguments.to', 'tool_call', 'to'],
      ['messages[3].tool_calls[0].function.arguments.to', 'tool_call', 'a@x.org'],
      ['messages[3].tool_calls[0].function.arguments.n', 'tool_call', 'n'],
      ['messages[3].tool_calls[0].function.arguments.n[1].cc', 'tool_call', 'cc'],
      ['messages[3].tool_calls[0].function.arguments.n[1].cc', 'tool_call', 'b'],
      ['messages[4].content', 'tool_result', 'sent'],
      ['messages[5].function_call.name', 'tool_call', 'old'],
      ['messages[5].function_call.arguments', 'tool_call', 'not json'],
      ['messages[6].name', 'tool_result', 'old'],
      ['messages[6].content[0].text', 'tool_result', 'done'],
      ['tools[0].function.name', 'tool_declaration', 'mail'],
      ['tools[0].function.description', 'tool_declaration', 'sends'],
      ['tools[0].function.parameters', 'tool_declaration', 'parameters'],
      ['tools[0].function.parameters.properties', 'tool_declaration', 'properties'],
      ['tools[0].function.parameters.properties.to', 'tool_declaration', 'to'],
      ['tools[0].function.parameters.properties.to.description', 'tool_declaration', 'description'],
      ['tools[0].function.parameters.properties.to.description', 'tool_declaration', 'who'],
      ['functions[0].name', 'tool_declaration', 'old'],
      ['functions[0].description', 'tool_declaration', 'old one'],
      ['user', 'metadata', 'user-77'],
      ['metadata.team', 'metadata', 'team'],
      ['metadata.team', 'metadata', 'blue'],
      ['unknown_field', 'other', 'unknown_field'],
      ['unknown_field.deep', 'other', 'deep'],
      ['unknown_field.deep[0]', 'other', 'secret place'],
    ]);
  });

  it('reads model, limits, streaming, declared tools, and past tool calls and results', () => {
    const call = request('openai.chat', body);
    const settings = { model: 'gpt-4o', maxTokens: 100, stream: true };
    expect(call).toMatchObject({ dialect: 'openai.chat', ...settings, newToolCalls: [] });
    expect(call.declaredTools).toEqual([
      { name: 'mail', path: 'tools[0]', schema: { properties: { to: { description: 'who' } } } },
      { name: 'old', path: 'functions[0]' },
    ]);
    expect(call.pastToolCalls).toEqual([
      {
        id: 'call_1',
        name: 'mail',
        args: { to: 'a@x.org', n: [1, { cc: 'b' }] },
        path: 'messages[3].tool_calls[0]',
        segments: [8, 9, 10, 11, 12, 13],
      },
      { name: 'old', args: undefined, path: 'messages[5].function_call', segments: [15, 16] },
    ]);
    expect(call.pastToolResults).toEqual([
      { callId: 'call_1', name: 'mail', path: 'messages[4]', segments: [14] },
      { name: 'old', path: 'messages[6]', segments: [17, 18] },
    ]);
  });

  it.each([
    ['chat', { tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'object' } } }] }],
    ['responses', { tools: [{ type: 'function', name: 'a', parameters: { type: 'object' } }] }],
    ['messages', { tools: [{ name: 'a', input_schema: { type: 'object' } }] }],
  ])('reads the schema of a declared tool in the style of %s', (_style, body) => {
    expect(request('openai.chat', body).declaredTools).toMatchObject([{ name: 'a', schema: { type: 'object' } }]);
  });

  it.each([
    ['nothing', {}, ['a']],
    ['another tool', { name: 'b' }, ['a', 'b']],
  ])('reads the names of a declared tool whose custom member holds %s', (_what, custom, names) => {
    const tools = [{ type: 'function', function: { name: 'a' }, custom }];
    expect(request('openai.chat', { tools }).declaredTools.map(({ name }) => name)).toEqual(names);
  });

  it.each([
    ['chat', { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } } }],
    ['responses', { text: { format: { type: 'json_schema', schema: { type: 'object' } } } }],
    ['messages', { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } }],
  ])('reads the schema of the answer in the style of %s', (_style, body) => {
    expect(request('openai.chat', body).outputSchema).toEqual({ type: 'object' });
  });

  it('passes the nearest key of a text to detectors', () => {
    const call = request('openai.chat', { messages: [], unknown: { dob: ['1970-01-01'] } });
    expect(call.segments.at(-1)).toMatchObject({ text: '1970-01-01', key: 'dob' });
  });
});

describe('decodeRequest of messages', () => {
  const body = {
    model: 'claude-sonnet-4-5',
    max_tokens: 1024,
    system: [{ type: 'text', text: 'be kind', cache_control: { type: 'ephemeral', ttl: '1h' } }],
    messages: [
      { role: 'user', content: 'hi' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'let me see', signature: BASE64 },
          { type: 'redacted_thinking', data: BASE64 },
          { type: 'text', text: 'ok', citations: [{ type: 'char_location', cited_text: 'quoted' }] },
          { type: 'tool_use', id: 'toolu_1', name: 'search', input: { q: 'cats', account: 4111111111111111 } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: [{ type: 'text', text: 'found' }], is_error: false },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: BASE64 } },
          {
            type: 'document',
            title: 'doc',
            context: 'ctx',
            source: { type: 'text', media_type: 'text/plain', data: BASE64 },
          },
          { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'inside' }] } },
        ],
      },
    ],
    tools: [
      { name: 'search', description: 'looks up', input_schema: { type: 'object' } },
      { type: 'web_search_20250305', name: 'web_search' },
    ],
    metadata: { user_id: 'u-1' },
    mcp_servers: [{ type: 'url', url: 'https://mcp.x.org', name: 'm', authorization_token: 't0ken' }],
  };

  it('reads every text with its path and its role', () => {
    expect(
      rows(request('anthropic.messages', body)).filter(
        ([, , text]) => !/^(mcp_servers|type|url|name|authorization_token)$/.test(text),
      ),
    ).toEqual([
      ['system[0].text', 'system', 'be kind'],
      ['messages[0].content', 'user', 'hi'],
      ['messages[1].content[0].thinking', 'reasoning', 'let me see'],
      ['messages[1].content[2].text', 'assistant', 'ok'],
      ['messages[1].content[2].citations', 'assistant', 'citations'],
      ['messages[1].content[2].citations[0].type', 'assistant', 'char_location'],
      ['messages[1].content[2].citations[0].cited_text', 'assistant', 'cited_text'],
      ['messages[1].content[2].citations[0].cited_text', 'assistant', 'quoted'],
      ['messages[1].content[3].name', 'tool_call', 'search'],
      ['messages[1].content[3].input.q', 'tool_call', 'q'],
      ['messages[1].content[3].input.q', 'tool_call', 'cats'],
      ['messages[1].content[3].input.account', 'tool_call', 'account'],
      ['messages[1].content[3].input.account', 'tool_call', '4111111111111111'],
      ['messages[2].content[0].content[0].text', 'tool_result', 'found'],
      ['messages[2].content[2].title', 'user', 'doc'],
      ['messages[2].content[2].context', 'user', 'ctx'],
      ['messages[2].content[2].source.data', 'user', BASE64],
      ['messages[2].content[3].source.content[0].text', 'user', 'inside'],
      ['tools[0].name', 'tool_declaration', 'search'],
      ['tools[0].description', 'tool_declaration', 'looks up'],
      ['tools[0].input_schema', 'tool_declaration', 'input_schema'],
      ['tools[0].input_schema.type', 'tool_declaration', 'object'],
      ['tools[1].name', 'tool_declaration', 'web_search'],
      ['metadata.user_id', 'metadata', 'user_id'],
      ['metadata.user_id', 'metadata', 'u-1'],
      ['mcp_servers[0].url', 'other', 'https://mcp.x.org'],
      ['mcp_servers[0].name', 'other', 'm'],
      ['mcp_servers[0].authorization_token', 'other', 't0ken'],
    ]);
  });

  it('reads the past calls and their results', () => {
    const call = request('anthropic.messages', body);
    expect(call.pastToolCalls).toMatchObject([
      { id: 'toolu_1', name: 'search', args: { q: 'cats', account: 4111111111111111 }, path: 'messages[1].content[3]' },
    ]);
    expect(call.pastToolResults).toMatchObject([{ callId: 'toolu_1', name: 'search', path: 'messages[2].content[0]' }]);
    expect(call.declaredTools.map(({ name }) => name)).toEqual(['search', 'web_search']);
    expect(call.newToolCalls).toEqual([]);
  });
});

describe('decodeRequest of other routes', () => {
  it('reads responses: instructions, items, parts, calls and results', () => {
    const call = request('openai.responses', {
      model: 'gpt-5',
      instructions: 'be exact',
      max_output_tokens: 9,
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'hi' },
            { type: 'input_image', image_url: `data:image/png;base64,${BASE64}` },
          ],
        },
        {
          type: 'reasoning',
          id: 'rs_1',
          summary: [{ type: 'summary_text', text: 'thought' }],
          encrypted_content: BASE64,
        },
        { type: 'function_call', call_id: 'c1', name: 'run', arguments: '{"cmd":"ls"}' },
        { type: 'function_call_output', call_id: 'c1', output: 'listing' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'sql', input: 'select 1' },
        { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'one' }] },
        { type: 'local_shell_call', call_id: 'c3', action: { type: 'exec', command: ['rm', '-r'] } },
      ],
      tools: [{ type: 'function', name: 'run', description: 'runs', parameters: {} }],
    });
    expect(rows(call)).toEqual([
      ['instructions', 'system', 'be exact'],
      ['input[0].content[0].text', 'user', 'hi'],
      ['input[1].summary[0].text', 'reasoning', 'thought'],
      ['input[2].name', 'tool_call', 'run'],
      ['input[2].arguments.cmd', 'tool_call', 'cmd'],
      ['input[2].arguments.cmd', 'tool_call', 'ls'],
      ['input[3].output', 'tool_result', 'listing'],
      ['input[4].name', 'tool_call', 'sql'],
      ['input[4].input', 'tool_call', 'select 1'],
      ['input[5].output[0].text', 'tool_result', 'one'],
      ['input[6].action', 'tool_call', 'action'],
      ['input[6].action.type', 'tool_call', 'type'],
      ['input[6].action.type', 'tool_call', 'exec'],
      ['input[6].action.command', 'tool_call', 'command'],
      ['input[6].action.command[0]', 'tool_call', 'rm'],
      ['input[6].action.command[1]', 'tool_call', '-r'],
      ['tools[0].name', 'tool_declaration', 'run'],
      ['tools[0].description', 'tool_declaration', 'runs'],
      ['tools[0].parameters', 'tool_declaration', 'parameters'],
    ]);
    expect(call.pastToolCalls.map(({ id, name, args }) => [id, name, args])).toEqual([
      ['c1', 'run', { cmd: 'ls' }],
      ['c2', 'sql', undefined],
      ['c3', 'local_shell', { action: { type: 'exec', command: ['rm', '-r'] } }],
    ]);
    expect(call.pastToolResults.map(({ name }) => name)).toEqual(['run', 'sql']);
    expect(call.maxTokens).toBe(9);
    expect(rows(request('openai.responses', { input: 'plain' }))).toEqual([['input', 'user', 'plain']]);
  });

  it.each<[Dialect, unknown, Row[]]>([
    [
      'openai.completions',
      { prompt: 'one', suffix: 'end' },
      [
        ['prompt', 'user', 'one'],
        ['suffix', 'user', 'end'],
      ],
    ],
    [
      'openai.completions',
      { prompt: ['one', 'two'] },
      [
        ['prompt[0]', 'user', 'one'],
        ['prompt[1]', 'user', 'two'],
      ],
    ],
    ['openai.embeddings', { input: 'one' }, [['input', 'user', 'one']]],
    [
      'openai.embeddings',
      { input: ['one', 'two'] },
      [
        ['input[0]', 'user', 'one'],
        ['input[1]', 'user', 'two'],
      ],
    ],
    ['openai.embeddings', { input: [[1, 2], [3]] }, []],
    [
      'generic',
      { type: 'free', id: ['x'] },
      [
        ['type', 'other', 'type'],
        ['type', 'other', 'free'],
        ['id', 'other', 'id'],
        ['id[0]', 'other', 'x'],
      ],
    ],
    ['generic', 'bare', [['$', 'other', 'bare']]],
    ['generic', ['x'], [['[0]', 'other', 'x']]],
  ])('reads %s %j', (dialect, body, expected) => {
    expect(rows(request(dialect, body))).toEqual(expected);
  });
});

describe('decodeRequest with misleading bodies', () => {
  it('reads text in fields that should hold an identifier', () => {
    const call = request('openai.chat', {
      model: 'mail me: anna@x.org',
      messages: [{ role: 'user', type: 'has spaces', id: { deep: 'text' }, content: 'x' }],
    });
    expect(call.segments.map(({ text }) => text)).toEqual(['mail me: anna@x.org', 'has spaces', 'deep', 'text', 'x']);
  });

  it('reads content of an unexpected shape', () => {
    for (const content of [
      { text: 'hidden' },
      [['hidden']],
      { unknown: { text: 'hidden' } },
      [{ type: 'new_part', body: 'hidden' }],
    ]) {
      const texts = request('openai.chat', { messages: [{ role: 'user', content }] }).segments.map(({ text }) => text);
      expect(texts).toContain('hidden');
    }
    expect(request('openai.chat', { messages: 'hidden' }).segments.map(({ text }) => text)).toEqual(['hidden']);
  });

  it('reads both values of a key that occurs twice', () => {
    const doc = parseJson(
      '{"messages":[{"role":"user","content":"first","content":"second"}],"messages":[{"role":"user","content":"third"}]}',
    );
    expect(decodeRequest('openai.chat', doc).segments.map(({ text }) => text)).toEqual(['first', 'second', 'third']);
  });

  it.each([
    'content',
    'text',
    'thinking',
    'reasoning',
    'reasoning_content',
    'summary',
    'refusal',
    'name',
    'title',
    'context',
  ])('reads a text in %s that looks like base64', (field) => {
    const texts = request('openai.chat', { messages: [{ role: 'user', [field]: BASE64 }] }).segments.map(
      ({ text }) => text,
    );
    expect(texts).toEqual([BASE64]);
  });

  it('never puts a key into a path if the key can itself be data', () => {
    const secretKey = 'AKIA' + 'IOSFODNN7EXAMPLE';
    const call = request('generic', { [secretKey]: { 'anna@x.org': 'v' }, plain_key: 1 });
    expect(call.segments.map(({ path }) => path)).toEqual(['{0}', '{0}{0}', '{0}{0}', 'plain_key']);
    expect(call.segments.map(({ text }) => text)).toEqual([secretKey, 'anna@x.org', 'v', 'plain_key']);
  });

  it('reads every string: a canary is found wherever it is placed', () => {
    const canary = 'canary: a text with spaces';
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 4 }),
        fc.constantFrom<Dialect>('openai.chat', 'anthropic.messages', 'openai.responses', 'generic'),
        (value, dialect) => {
          const plant = (node: unknown): unknown =>
            typeof node === 'string' || node === null
              ? canary
              : Array.isArray(node)
                ? node.map(plant)
                : typeof node === 'object'
                  ? Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, plant(inner)]))
                  : node;
          const body = {
            messages: [{ role: 'user', content: plant(value) }],
            tools: plant(value),
            input: plant(value),
            system: plant(value),
            x: plant(value),
          };
          const planted = JSON.stringify(body).split(JSON.stringify(canary)).length - 1;
          for (const decode of [request, answer]) {
            const found = decode(dialect, body).segments.filter(({ text }) => text === canary);
            expect(found).toHaveLength(planted);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
