import { GEMINI } from './index.js';

type Headers = Readonly<Record<string, string>>;
const frameFor = (headers: Headers): string => GEMINI.keepAlive((name) => headers[name]) ?? '';
const event = (text: string): string =>
  `data: ${JSON.stringify({ candidates: [{ content: { role: 'model', parts: [{ text }] } }] })}\r\n\r\n`;

/** What a client reads: the data of the events, and what it could not read. */
interface Read {
  readonly events: readonly string[];
  readonly rest: string;
}

/** As `@google/generative-ai`, Firebase and `@google-cloud/vertexai` read: an event must begin where the one before it ended. */
function byExpression(stream: string): Read {
  const events: string[] = [];
  let rest = stream;
  for (;;) {
    const match = /^data: (.*)(?:\n\n|\r\r|\r\n\r\n)/.exec(rest);
    if (match === null) return { events, rest: rest.trim() };
    events.push(match[1] ?? '');
    rest = rest.slice(match[0].length);
  }
}

/** As `@google/genai` reads: everything up to an empty line, of which data is used. */
function byDelimiters(stream: string): Read {
  const parts = stream.split(/\n\n|\r\r|\r\n\r\n/);
  const rest = (parts.pop() ?? '').trim();
  const data = parts.map((part) => part.trim()).filter((part) => part.startsWith('data:'));
  return { events: data.map((part) => part.slice('data:'.length).trim()), rest };
}

/** As `google-genai` for Python reads: line by line; anything else than data is a part of an error in JSON. */
function byLines(stream: string): Read {
  const lines = stream.split(/\r\n|\r|\n/).filter((line) => line !== '');
  const isData = (line: string): boolean => line.startsWith('data: ');
  const events = lines.filter(isData).map((line) => line.slice('data: '.length));
  return { events, rest: lines.filter((line) => !isData(line)).join('') };
}

describe('keep-alive bytes between the events of Gemini', () => {
  it.each<[string, Headers, (stream: string) => Read]>([
    ['@google/generative-ai', { 'x-goog-api-client': 'genai-js/0.24.1' }, byExpression],
    ['LangChain on it', { 'x-goog-api-client': 'langchain-js/1.0 genai-js/0.24.1' }, byExpression],
    ['Firebase', { 'x-goog-api-client': 'gl-js/12.0.0 fire/12.0.0' }, byExpression],
    ['@google-cloud/vertexai', { 'user-agent': 'model-builder/1.10.0 grpc-node/1.10.0' }, byExpression],
    ['@google/genai', { 'x-goog-api-client': 'google-genai-sdk/1.30.0 gl-node/v24.0.0' }, byDelimiters],
    ['google-genai for Python', { 'x-goog-api-client': 'google-genai-sdk/1.50.0 gl-python/3.13' }, byLines],
  ])('are no event and lose none, as %s reads them', (_client, headers, read) => {
    const frame = frameFor(headers);
    for (const stream of [event('a') + frame + event('b'), frame + event('a') + frame + frame + event('b') + frame]) {
      const { events, rest } = read(stream);
      expect([events.length, rest]).toEqual([2, '']);
      expect(events.map((data) => JSON.parse(data) as object)).toMatchObject([
        { candidates: [{}] },
        { candidates: [{}] },
      ]);
    }
  });

  it('are sent to every client that ignores empty lines', () => {
    expect(frameFor({})).toBe('\n\n');
    expect(frameFor({ 'x-goog-api-client': 'google-genai-sdk/1.30.0 gl-node/v24.0.0' })).toBe('\n\n');
  });
});
