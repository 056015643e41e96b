import { answer, request } from './testdata/decoded.js';

const tool = (name: string): object => ({ type: 'function', name, parameters: { type: 'object' } });

describe('the tools that a request offers', () => {
  const namesIn = (...body: Parameters<typeof request>): string[] =>
    request(...body).declaredTools.map(({ name }) => name);

  it('include those of a namespace, each with its schema', () => {
    const tools = [{ type: 'namespace', name: 'crm', description: 'Customers', tools: [tool('delete_customer')] }];
    const { declaredTools, segments } = request('openai.responses', { model: 'm', input: 'hi', tools });
    expect(declaredTools).toMatchObject([
      { name: 'delete_customer', path: 'tools[0].tools[0]', schema: { type: 'object' } },
      { name: 'crm' },
    ]);
    expect(new Set(segments.filter(({ path }) => path.startsWith('tools')).map(({ role }) => role))).toEqual(
      new Set(['tool_declaration']),
    );
  });

  it('include those that the conversation adds', () => {
    const input = [
      { type: 'additional_tools', role: 'developer', tools: [tool('late')] },
      { type: 'tool_search_output', call_id: 'c', tools: [{ type: 'namespace', name: 'n', tools: [tool('found')] }] },
      { type: 'mcp_list_tools', server_label: 's', tools: [{ name: 'listed', input_schema: {} }] },
      { role: 'user', content: 'hi' },
    ];
    expect(namesIn('openai.responses', { model: 'm', input })).toEqual(['late', 'found', 'n', 'listed']);
    const definition = { name: 'late', input_schema: { type: 'object' } };
    const content = [{ type: 'tool_addition', tool: { type: 'tool_definition', definition } }];
    expect(namesIn('anthropic.messages', { model: 'm', messages: [{ role: 'system', content }] })).toEqual(['late']);
  });

  it('do not include those that an answer lists', () => {
    const output = [
      { type: 'mcp_list_tools', id: 'm', server_label: 's', tools: [{ name: 'listed', input_schema: {} }] },
    ];
    const { declaredTools, newToolCalls, segments } = answer('openai.responses', { output });
    expect({ declaredTools, newToolCalls }).toEqual({ declaredTools: [], newToolCalls: [] });
    expect(segments.map(({ text }) => text)).toContain('listed');
  });
});
