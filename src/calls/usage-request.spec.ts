import { applyEdits, decodeRequest, parseJson } from '../core/index.js';
import { usageRequest } from './usage-request.js';

function asked(text: string, dialect: 'openai.chat' | 'openai.responses' = 'openai.chat', insist = false): string {
  const doc = parseJson(text);
  const edit = usageRequest(doc, decodeRequest(dialect, doc), insist);
  return edit === undefined ? text : applyEdits(text, [edit]);
}

describe('usageRequest', () => {
  it.each([
    ['{"stream":true}', '{"stream_options":{"include_usage":true},"stream":true}'],
    [' { "stream" : true }', ' {"stream_options":{"include_usage":true}, "stream" : true }'],
    ['{"stream":true,"stream_options":{}}', '{"stream":true,"stream_options":{"include_usage":true}}'],
    [
      '{"stream":true,"stream_options": {"include_obfuscation":false}}',
      '{"stream":true,"stream_options": {"include_usage":true,"include_obfuscation":false}}',
    ],
  ])('requests usage in %s', (text, expected) => {
    expect(asked(text)).toBe(expected);
    expect(JSON.parse(asked(text))).toMatchObject({ stream: true, stream_options: { include_usage: true } });
  });

  it.each([
    '{"stream":false}',
    '{}',
    '{"stream":true,"stream_options":{"include_usage":true}}',
    '{"stream":true,"stream_options":{"include_usage":false}}',
    '{"stream":true,"stream_options":null}',
  ])('leaves %s as it is', (text) => {
    expect(asked(text)).toBe(text);
  });

  it.each([
    [
      '{"stream":true,"stream_options":{"include_usage":false}}',
      '{"stream":true,"stream_options":{"include_usage":true}}',
    ],
    [
      '{"stream":true,"stream_options":{"include_usage": null }}',
      '{"stream":true,"stream_options":{"include_usage": true }}',
    ],
    ['{"stream":true,"stream_options":null}', '{"stream":true,"stream_options":{"include_usage":true}}'],
    ['{"stream":true}', '{"stream_options":{"include_usage":true},"stream":true}'],
    [
      '{"stream":true,"stream_options":{"include_usage":true}}',
      '{"stream":true,"stream_options":{"include_usage":true}}',
    ],
    ['{"stream":false,"stream_options":null}', '{"stream":false,"stream_options":null}'],
  ])('overrides the choice of the client in %s if usage is required', (text, expected) => {
    expect(asked(text, 'openai.chat', true)).toBe(expected);
  });

  it('requests nothing from an API whose streams always report usage', () => {
    expect(asked('{"stream":true}', 'openai.responses')).toBe('{"stream":true}');
  });
});
