import { atOnce } from '../core/index.js';
import { readingAnswer } from './answer-texts.js';

/** @param name the name of the member that holds token texts, as it is written in the body */
const answer = (name: string, tokens = '{"content":[{"token":"Ann"}]}'): Buffer =>
  Buffer.from(
    `{"choices":[{"message":{"role":"assistant","content":"Ann writes"},"${name}" : ${tokens}}],"model":"m"}`,
  );
const readIn = (body: Buffer) => atOnce(readingAnswer('openai.chat', 'application/json', body));

describe('a stored answer', () => {
  it.each([
    ['as usual', 'logprobs'],
    ['with an escape', 'log\\u0070robs'],
    ['as Gemini has it', 'logprobsResult'],
  ])('has no token texts if a value is masked and the key of the token texts is written %s', async (_how, name) => {
    const texts = readIn(answer(name));
    const segment = texts.call.segments.findIndex(({ text }) => text === 'Ann writes');
    const edit = { segment, start: 0, end: 3, replacement: '[NAME]', code: 'NAME' };
    const payload = (await texts.stored([edit], false))?.payload;
    expect(payload).toContain('"[NAME] writes"');
    expect(payload).not.toContain('Ann');
    expect((await texts.edited([edit])).toString()).not.toContain('Ann');
  });

  it('is exactly the received text if nothing is masked', async () => {
    const body = answer('logprobs');
    expect((await readIn(body).stored([], true))?.payload).toBe(body.toString());
  });
});

describe('a streamed answer', () => {
  it.each(['word ', 'QUJD', '=\n'])('is read however long one of its texts is: %j', (letters) => {
    const text = letters.repeat(9_000_000 / letters.length);
    const event = JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] });
    const { call } = atOnce(readingAnswer('openai.chat', 'text/event-stream', Buffer.from(`data: ${event}\n\n`)));
    expect(call.segments[0]?.text === text).toBe(true);
  });
});

describe('an answer that is a text', () => {
  const call = '{"name":"run_shell","arguments":{"command":"ls"}}';
  it.each([
    ['as a script', `callback(${call});`],
    ['as a part of a form', `--b\r\nContent-Type: application/json\r\n\r\n${call}\r\n--b--\r\n`],
    ['in a line after the kind of the line', `0:"I will look."\ne:{}\n9:${call}\n`],
    ['in a line after a line that is not JSON', `oops\n${call}\n`],
    ['after a comment', `/* made by hand */ ${call}`],
  ])('is judged for the tool calls in it: %s', (_how, text) => {
    const read = atOnce(readingAnswer('generic', 'text/plain', Buffer.from(text)));
    expect(read.call.newToolCalls.map(({ name, args }) => ({ name, args }))).toEqual([
      { name: 'run_shell', args: { command: 'ls' } },
    ]);
    expect(read.call.segments.map((segment) => segment.text)).toEqual([text]);
  });

  it('is not read in UTF-16 or UTF-32, which some clients read', () => {
    const wide = Buffer.alloc(4 * call.length);
    for (const [at, letter] of [...call].entries()) wide.writeUInt32LE(letter.charCodeAt(0), 4 * at);
    for (const body of [wide, Buffer.from(wide).swap32(), Buffer.from(call, 'utf16le')])
      expect(() => atOnce(readingAnswer('generic', 'application/json', body))).toThrow('must be text in UTF-8');
  });
});
