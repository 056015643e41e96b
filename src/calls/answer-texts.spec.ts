import { docxOf } from '../../test/support/documents.js';
import { sampled } from '../../test/support/sampled.js';
import { embeddedContents, writeFrame, writeHeaders } from '../contents/index.js';
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
  it.each(sampled(['word ', 'QUJD', '=\n'], 3))('is read however long one of its texts is: %j', (letters) => {
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
    ['beside a number that is not JSON', `oops\n${call.replace('{"name"', '{"score":NaN,"name"')}\n`],
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

describe('an answer that is a file', () => {
  const read = (body: Buffer, type = 'application/octet-stream') => atOnce(readingAnswer('generic', type, body));
  const wide = Buffer.from('\ufeffname\tJohn\r\n', 'utf16le');
  const pdf = Buffer.from('%PDF-1.4\n1 0 obj\n<< /Length 5 >>\nstream\nJohn\nendstream\nendobj\ntrailer\n<< >>\n');

  it('is left to the readers of documents, whatever its type is', () => {
    const file = docxOf({ paragraphs: [['John']] });
    for (const type of ['application/octet-stream', 'application/pdf', 'text/plain']) {
      const { beside, call } = read(file, type);
      expect(beside?.files).toMatchObject([{ path: 'body', bytes: file }]);
      expect([call.segments, call.contents, beside?.unread]).toMatchObject([[], undefined, [{ path: 'body', why: 'document' }]]); // prettier-ignore
    }
  });

  it('is left to them beside its text if it is a document in ASCII', () => {
    const rtf = Buffer.from('{\\rtf1\\ansi \\u74?ohn}');
    for (const [file, type] of [
      [pdf, 'text/plain'],
      [pdf, 'application/pdf'],
      [rtf, 'application/octet-stream'],
      [rtf, 'text/plain'],
      [Buffer.from('<p>J<b>ohn</b></p>'), 'text/html'],
    ] as const) {
      const { beside, call } = read(file, type);
      expect(beside?.files).toMatchObject([{ path: '$', bytes: file, text: String(file) }]);
      expect(call.segments.map(({ text }) => text)).toEqual([String(file)]);
    }
    expect(read(Buffer.from('it begins with %PDF-'), 'text/plain').beside).toBeUndefined();
  });

  it.each([
    ['with a line that is JSON', '{}\n', 'application/octet-stream'],
    ['with a line that is JSON, declared as lines of JSON', '{}\n', 'application/x-ndjson'],
    ['with the beginning of an event stream', ':\n', 'application/pdf'],
    ['with the beginning of an event stream, declared as text', 'id:\n', 'text/plain'],
    ['declared as an event stream', 'data:\n', 'text/event-stream'],
  ])('is left to them beside its texts if it is a PDF file in ASCII %s', (_how, beginning, type) => {
    const file = Buffer.concat([Buffer.from(beginning), pdf]);
    expect(read(file, type).beside).toMatchObject({
      files: [{ path: '$', bytes: file }],
      unread: [{ path: '$', why: 'document' }],
    });
  });

  it('is left to them if it is RTF or JSON as well', () => {
    const rtf = Buffer.from('{\\rtf1\\ansi\n[1]\n\\u74?ohn}');
    const json = Buffer.from(JSON.stringify([String(pdf)]));
    for (const file of [rtf, json]) expect(read(file).beside?.files).toMatchObject([{ bytes: file }]);
    expect(read(json, 'application/json').beside).toBeUndefined();
  });

  it('is left to them beside the tool calls of the event stream in front of it', () => {
    const call = '{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"run_shell","arguments":"{}"}}]}}]}'; // prettier-ignore
    const file = Buffer.concat([Buffer.from(`data: ${call}\n\n`), docxOf({ paragraphs: [['John']] })]);
    for (const type of ['application/zip', 'text/plain', 'text/event-stream']) {
      const answer = atOnce(readingAnswer('openai.chat', type, file));
      expect(answer.call.newToolCalls).toMatchObject([{ name: 'run_shell' }]);
      expect(answer.beside).toMatchObject({ files: [{ bytes: file }], unread: [{ path: 'body', why: 'document' }] });
    }
  });

  it('is not expected in the events of a model that describes one', () => {
    const event = JSON.stringify({ choices: [{ index: 0, delta: { content: String(pdf) } }] });
    const { beside } = read(Buffer.from(`data: ${event}\n\n`), 'text/event-stream');
    expect([beside?.files, beside?.unread]).toEqual([[], []]);
  });

  it('is read behind the frames of an event stream if it continues with other bytes', () => {
    const frame = writeFrame(writeHeaders({ ':event-type': 'chunk' }), Buffer.from('{"text":"fine"}'));
    const begun = writeFrame(Buffer.alloc(0), Buffer.alloc(10_000)).subarray(0, 12);
    const { beside } = read(Buffer.concat([frame, begun, Buffer.from('a letter that was written by John')]));
    expect(beside?.texts.map(({ text }) => text).join()).toContain('written by John');
    expect(beside?.unread).toMatchObject([{ path: 'body', why: 'binary' }]);
    expect(read(Buffer.concat([frame, frame])).beside?.unread).toEqual([]);
  });

  it('is found in base64 in a text or a page', async () => {
    const file = docxOf({ paragraphs: [['John']] });
    const text = `<img src="data:application/zip;base64,${file.toString('base64')}"> by John`;
    for (const type of ['text/markdown', 'text/html']) {
      const answer = read(Buffer.from(text), type);
      const { files } = answer.beside ?? embeddedContents(answer.doc!, answer.call);
      expect(files.filter(({ bytes }) => bytes.equals(file))).toHaveLength(1);
      const edit = { segment: 0, start: text.length - 4, end: text.length, replacement: '[NAME]', code: 'NAME' };
      expect((await answer.edited([edit])).toString()).toBe(text.replace(/John$/, '[NAME]'));
      expect((await answer.stored([edit], false))?.payload).toMatch(/\[FILE \d+\].*by \[NAME\]/);
    }
  });

  it('is read in UTF-16 whatever its first character is', () => {
    const table = Buffer.from('\u0100nna\tJohn\r\n', 'utf16le');
    expect(read(table).call.segments.map(({ text }) => text)).toContain('\u0100nna\tJohn\r\n');
    expect(() => read(table, 'text/plain')).toThrow('must be text in UTF-8');
  });

  it('is read and changed in UTF-16', async () => {
    const answer = read(wide);
    const segment = answer.call.segments.findIndex(({ text }) => text.includes('John'));
    const start = answer.call.segments[segment]!.text.indexOf('John');
    const edit = { segment, start, end: start + 4, replacement: '[NAME]', code: 'NAME' };
    expect((await answer.edited([edit])).equals(Buffer.from('\ufeffname\t[NAME]\r\n', 'utf16le'))).toBe(true);
    expect((await answer.stored([edit], false))?.payload).toBe(JSON.stringify(['name\t[NAME]\r\n']));
    const named = read(Buffer.from('{"name":"run_shell","arguments":{}}', 'utf16le'));
    expect(named.call.newToolCalls).toMatchObject([{ name: 'run_shell' }]);
  });

  it('is not stored if something is found in the document that its text is', async () => {
    const answer = read(Buffer.from('{\\rtf1\\ansi \\u74?ohn}'));
    const own = answer.call.segments.length;
    const found = { segment: own, start: 0, end: 4, replacement: '[NAME]', code: 'NAME' };
    expect((await answer.stored([found], false))?.payload).toMatch(/^"\[BYTES \d+\]"$/);
    expect((await answer.stored([], false))?.payload).toContain('ohn');
  });

  it('is not read in UTF-16 if it is an event stream', () => {
    const stream = Buffer.from('data: {"a":"John"}\n\n', 'utf16le');
    expect(() => read(stream)).toThrow('must be text in UTF-8');
  });
});

describe('an event stream', () => {
  const stream = 'data: {"choices":[{"index":0,"delta":{"content":"hello"}}]}\n\n';
  it.each([
    ['declares another encoding', 'text/event-stream; charset=utf-16', Buffer.from(stream)],
    ['is in another encoding', 'text/event-stream', Buffer.from(stream, 'utf16le')],
  ])('is not read if it %s, which some clients read', (_what, type, body) => {
    expect(() => atOnce(readingAnswer('openai.chat', type, body))).toThrow('must be text in UTF-8');
  });

  it('is read with a declared encoding in which ASCII characters have their own bytes', () => {
    for (const charset of ['utf-8', '"UTF-8"', 'iso-8859-1'])
      expect(
        atOnce(readingAnswer('openai.chat', `text/event-stream; charset=${charset}`, Buffer.from(stream))).call
          .segments,
      ).toMatchObject([{ text: 'hello' }]);
  });
});

describe('an answer that is a list of pieces', () => {
  it('is read as the pieces of a text beside numbers that are not JSON', async () => {
    const piece = (text: string): string => `{"candidates":[{"content":{"parts":[{"text":"${text}"}]},"score":NaN}]}`;
    const text = `[${piece('to Jo')},\n${piece('hn D.')}]`;
    const answer = atOnce(readingAnswer('gemini.generate', 'application/json', Buffer.from(text)));
    expect(answer.call.segments.map((segment) => segment.text)).toContain('to John D.');
    expect((await answer.edited([])).toString()).toBe(text);
  });
});

describe('an answer of several JSON values', () => {
  const lines = (...values: object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('');
  const read = (text: string) => atOnce(readingAnswer('generic', 'application/x-ndjson', Buffer.from(text)));
  const texts = (text: string): string[] => read(text).call.segments.map((segment) => segment.text);

  it.each<[string, (text: string) => object]>([
    ['of Ollama', (content) => ({ message: { content }, done: false })],
    ['of a completion of Ollama', (response) => ({ model: 'm', response, done: false })],
    ['of Cohere', (text) => ({ is_finished: false, event_type: 'text-generation', text })],
    ['of an unknown vendor', (text) => ({ id: `e-${text.length}`, output: { text } })],
    ['of a chat', (content) => ({ choices: [{ index: 0, delta: { content } }] })],
  ])('is read as the pieces of a text, in lines and without them, in the format %s', async (_whose, piece) => {
    for (const text of [
      lines(piece('to Jo'), piece('hn D.')),
      lines(piece('to Jo'), piece('hn D.')).replace(/\n/g, ''),
    ]) {
      const answer = read(text);
      const segment = answer.call.segments.findIndex((each) => each.text === 'to John D.');
      expect(segment).toBeGreaterThanOrEqual(0);
      const edited = (await answer.edited([{ segment, start: 3, end: 7, replacement: '[NAME]' }])).toString();
      expect(edited).toBe(text.replace('to Jo', 'to [NAME]').replace('"hn D.', '" D.'));
    }
  });

  const chat = (content: string): object => ({ choices: [{ index: 0, delta: { content } }] });
  it.each<[string, (pieces: [string, string]) => string]>([
    ['before an end mark', ([one, other]) => `${one}${other}[DONE]\n`],
    ['before a line that was cut off', ([one, other]) => `${one}${other}{"choices":[{"index":0,"del`],
    ['around a line that is not JSON', ([one, other]) => `${one}oops: "x"\n\n${other}`],
    ['after a line that is not JSON', ([one, other]) => `oops\n${one}${other}`],
    ['beside numbers that are not JSON', (both) => both.join('').replaceAll('"index":0', '"index":0,"score":-Infinity')], // prettier-ignore
  ])('is read as the pieces of a text %s', async (_where, written) => {
    const text = written([lines(chat('to Jo')), lines(chat('hn D.'))]);
    const answer = read(text);
    const segment = answer.call.segments.findIndex((each) => each.text === 'to John D.');
    expect(segment).toBeGreaterThanOrEqual(0);
    expect((await answer.edited([])).toString()).toBe(text);
    const edited = (await answer.edited([{ segment, start: 3, end: 7, replacement: '[NAME]' }])).toString();
    expect(edited).toBe(text.replace('to Jo', 'to [NAME]').replace('"hn D.', '" D.'));
  });

  it('has its other lines as texts, which can be changed', async () => {
    const answer = read(`${lines(chat('a'), chat('b'))}by John\n`);
    const segment = answer.call.segments.findIndex((each) => each.text.includes('John'));
    const start = answer.call.segments[segment]!.text.indexOf('John');
    const edited = (await answer.edited([{ segment, start, end: start + 4, replacement: '[NAME]' }])).toString();
    expect(edited).toBe(`${lines(chat('a'), chat('b'))}by [NAME]\n`);
  });

  it('is read with the tool calls in lines with numbers that are not JSON', () => {
    const line = '{"message":{"content":"","tool_calls":[{"function":{"name":"run_shell","arguments":{"command":"ls"}}}]},"x":-Infinity}\n'; // prettier-ignore
    for (const text of [`${line}{"done":true}\n`, `${line}{"done":true,"x":NaN}\n`])
      expect(read(text).call.newToolCalls).toMatchObject([{ name: 'run_shell', args: { command: 'ls' } }]);
  });

  it('is stored as JSON even if its records contain numbers that are not JSON', async () => {
    const text = lines({ custom_id: 'a', x: 0 }, { custom_id: 'NaN', x: 1 }).replace(':0', ':NaN');
    expect(JSON.parse((await read(text).stored([], true))!.payload)).toEqual([
      { custom_id: 'a', x: null },
      { custom_id: 'NaN', x: 1 },
    ]);
  });

  it('is read as separate records where each answers another request of a batch', () => {
    const record = (custom_id: string, content: string) => ({ custom_id, response: { body: { choices: [{ message: { content } }] } } }); // prettier-ignore
    expect(texts(lines(record('a', 'One.'), record('b', 'Two.')))).toEqual(expect.arrayContaining(['One.', 'Two.']));
  });

  it.each<[string, (text: string) => object]>([
    [
      'conversations to learn from',
      (content) => ({
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content },
        ],
      }),
    ],
    [
      'results of a batch of Gemini',
      (text) => ({ key: 'k', response: { candidates: [{ content: { parts: [{ text }] } }] } }),
    ],
    ['requests of a batch of Gemini', (text) => ({ request: { contents: [{ role: 'user', parts: [{ text }] }] } })],
  ])('is read as separate records if the lines are %s', (_what, record) => {
    const found = texts(lines(record('to Jo'), record('hn D.')));
    expect(found).toEqual(expect.arrayContaining(['to Jo', 'hn D.']));
    expect(found).not.toContain('to John D.');
  });

  it('is read as the pieces of a text if only the last piece has the whole response', () => {
    const piece = (text: string) => ({ is_finished: false, event_type: 'text-generation', text });
    expect(texts(lines(piece('to Jo'), piece('hn D.'), { is_finished: true, response: {} }))).toContain('to John D.');
  });

  it('is read with its tool calls in pieces', () => {
    const call = (more: object): object => ({
      choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...more }] } }],
    });
    const { newToolCalls } = read(
      lines(call({ id: 'c', function: { name: 'run_shell', arguments: '{"cmd":' } }), call({ function: { arguments: '"ls"}' } })), // prettier-ignore
    ).call;
    expect(newToolCalls).toMatchObject([{ name: 'run_shell', args: { cmd: 'ls' } }]);
  });
});
