import { parseJson } from '../json/json-document.js';
import { splice } from '../json/splice.js';
import { decodeAnswer, decodeRequest } from '../providers/decode-call.js';

const decoded = (body: unknown) => decodeRequest('generic', parseJson(JSON.stringify(body)));
const binary = Buffer.from(Array.from({ length: 200 }, (_, at) => (at * 7919 + (at >> 3) * 131 + 7) % 256));
const base64 = binary.toString('base64');

describe('values of the base64 fields of Gemini, Bedrock, Vertex and Ollama', () => {
  it.each<[string, (data: string) => unknown]>([
    ['Gemini', (data) => ({ contents: [{ parts: [{ inlineData: { mimeType: 'x/y', data } }] }] })],
    ['Gemini in snake case', (data) => ({ contents: [{ parts: [{ inline_data: { mime_type: 'x/y', data } }] }] })],
    ['Bedrock', (bytes) => ({ messages: [{ content: [{ document: { format: 'pdf', source: { bytes } } }] }] })],
    ['Vertex', (bytesBase64Encoded) => ({ instances: [{ image: { bytesBase64Encoded } }] })],
    ['Ollama', (data) => ({ messages: [{ role: 'user', content: 'what is it', images: [data] }] })],
  ])('are read as files even without the signature of a file format: %s', (_, body) => {
    const { embedded, segments } = decoded(body(base64));
    expect(embedded).toMatchObject([{ start: 0, end: base64.length }]);
    expect(embedded![0]).not.toHaveProperty('unsaid');
    expect(segments.map(({ text }) => text)).not.toContain(base64);
  });

  it('are read as the text that they contain, even if it is short', () => {
    const { segments } = decoded({ contents: [{ parts: [{ inlineData: { data: btoa('call 555-0199') } }] }] });
    expect(segments.map(({ text }) => text)).toContain('call 555-0199');
  });

  it('are read as plain texts if they are not base64', () => {
    const { segments } = decoded({ images: ['https://example.com/a.png'], bytes: 'ten of them' });
    expect(segments.map(({ text }) => text)).toEqual(
      expect.arrayContaining(['https://example.com/a.png', 'ten of them']),
    );
  });
});

describe('a value that its object declares as a file in base64', () => {
  it.each<[string, (data: string) => unknown]>([
    [
      'of Anthropic',
      (data) => {
        const source = { type: 'base64', media_type: 'application/octet-stream', data };
        return { messages: [{ role: 'user', content: [{ type: 'document', source }] }] };
      },
    ],
    ['of Gemini interactions', (data) => ({ input: [{ type: 'document', mime_type: 'application/pdf', data }] })],
    ['of MCP', (data) => ({ contents: [{ uri: 'file:a', mimeType: 'application/octet-stream', data }] })],
    ['of GitHub', (content) => ({ documents: [{ encoding: 'base64', content }] })],
    ['in pieces', (data) => ({ documents: [{ mediaType: 'application/pdf', data: [data] }] })],
    ['by its name', (file_data) => ({ documents: [{ file_data }] })],
  ])('is read as one even without the signature of a file format, and also as written: %s', (_, body) => {
    const { embedded, segments } = decoded(body(base64));
    expect(embedded).toMatchObject([{ start: 0, end: base64.length }]);
    expect(embedded![0]).not.toHaveProperty('unsaid');
    expect(segments.map(({ text }) => text)).toContain(base64);
  });

  it.each<[string, unknown]>([
    ['without a declaration', { documents: [{ data: base64 }] }],
    ['under another name', { documents: [{ mime_type: 'application/pdf', digest: base64 }] }],
    ['declared as a text', { documents: [{ mimeType: 'text/plain', content: 'e3b0c442'.repeat(8) }] }],
    ['declared as JSON', { documents: [{ mimeType: 'application/problem+json', content: base64 }] }],
    ['declared as another type', { documents: [{ type: 'document', data: base64 }] }],
  ])('may also be a key or a hash otherwise: %s', (_, body) => {
    expect(decoded(body).embedded).toMatchObject([{ unsaid: true }]);
  });
});

describe('lines of JSON in base64', () => {
  const lines = '{"to":"a\\u0040b"}\n{"to":["c",{"deep":"x"}]}\n\n';
  const body = parseJson(JSON.stringify({ contents: [{ inlineData: { data: btoa(lines) } }] }));
  const { segments } = decodeRequest('generic', body);

  it('are read value by value', () => {
    expect(segments.map(({ text }) => text)).toEqual(expect.arrayContaining(['a@b', 'c', 'x']));
  });

  it('are masked in place', () => {
    const segment = segments.findIndex(({ text }) => text === 'a@b');
    const masked = splice(body, segments, [{ segment, start: 0, end: 3, replacement: 'M' }]);
    const data = /"data":"([^"]*)"/.exec(masked)![1]!;
    expect(atob(data)).toBe(lines.replace('a\\u0040b', 'M'));
  });

  it('are one text if a line is not JSON', () => {
    const text = '{"a":1}\nnot JSON';
    const { segments: read } = decoded({ inlineData: { data: btoa(text) } });
    expect(read.map((segment) => segment.text)).toContain(text);
  });
});

describe('past tool calls and results of a conversation', () => {
  it('are recognised for Gemini', () => {
    const call = decoded({
      contents: [
        { role: 'model', parts: [{ functionCall: { name: 'get_customer', args: { id: 7 } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'get_customer', response: { mail: 'ana' } } }] },
      ],
    });
    expect(call.pastToolCalls).toMatchObject([{ name: 'get_customer', args: { id: 7 } }]);
    expect(call.pastToolResults).toMatchObject([{ name: 'get_customer' }]);
    const [result] = call.pastToolResults;
    expect(result!.segments.map((at) => call.segments[at]!.text)).toContain('ana');
    expect(call.newToolCalls).toEqual([]);
  });

  it('are recognised for Bedrock, with the name of a result found by its id', () => {
    const call = decoded({
      messages: [
        { role: 'assistant', content: [{ toolUse: { toolUseId: 't1', name: 'run_shell', input: { cmd: 'ls' } } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 't1', content: [{ json: { out: 'secret' } }] } }] },
      ],
    });
    expect(call.pastToolCalls).toMatchObject([{ id: 't1', name: 'run_shell', args: { cmd: 'ls' } }]);
    expect(call.pastToolResults).toMatchObject([{ callId: 't1', name: 'run_shell' }]);
    expect(call.segments.map(({ text }) => text)).toContain('secret');
  });
});

describe('tool calls with a signature', () => {
  it.each<[string, unknown]>([
    [
      'Gemini',
      {
        candidates: [
          { content: { parts: [{ functionCall: { name: 'f', args: { a: 'x' } }, thoughtSignature: 'Cs' }] } },
        ],
      },
    ],
    [
      'Gemini as chat completions',
      {
        choices: [
          {
            message: {
              role: 'assistant',
              tool_calls: [
                {
                  id: 'c',
                  type: 'function',
                  function: { name: 'f', arguments: '{"a":"x"}' },
                  extra_content: { google: { thought_signature: 'Cs' } },
                },
              ],
            },
          },
        ],
      },
    ],
  ])('have arguments that are marked as signed: %s', (_, answer) => {
    const { segments } = decodeAnswer('openai.chat', parseJson(JSON.stringify(answer)));
    expect(segments.filter(({ text }) => text === 'x')).toMatchObject([{ role: 'tool_call', signed: true }]);
  });
});
