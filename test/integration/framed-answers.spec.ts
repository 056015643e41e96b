import { beginsWithFrame, EventFrames, writeFrame, writeHeaders, type EventFrame } from '../../src/contents/index.js';
import { appWithUpstream } from '../support/app-with-upstream.js';
import { testPolicy } from '../support/test-app.js';

const PATH = '/openai/model/m/converse-stream';
const PADDING = 'abcdefghijklmnopqrstuvwxyz';

const frame = (type: string, payload: object | string | Buffer, more: Record<string, string> = {}): Buffer =>
  writeFrame(
    writeHeaders({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event', ...more }),
    typeof payload === 'object' && !Buffer.isBuffer(payload)
      ? Buffer.from(JSON.stringify(payload))
      : Buffer.from(payload),
  );
/** An event of a model's own, as `invoke-with-response-stream` has it. */
const chunk = (event: object): Buffer =>
  frame('chunk', { bytes: Buffer.from(JSON.stringify(event)).toString('base64'), p: PADDING });
const text = (...pieces: string[]): Buffer[] => [
  frame('messageStart', { role: 'assistant', p: PADDING }),
  ...pieces.map((piece) => frame('contentBlockDelta', { contentBlockIndex: 0, delta: { text: piece }, p: PADDING })),
  frame('contentBlockStop', { contentBlockIndex: 0, p: PADDING }),
  frame('messageStop', { stopReason: 'end_turn', p: PADDING }),
  frame('metadata', { usage: { inputTokens: 3, outputTokens: 2 }, metrics: { latencyMs: 5 } }),
];
const call = (index: number, name: string, ...pieces: string[]): Buffer[] => [
  frame('contentBlockStart', { contentBlockIndex: index, start: { toolUse: { toolUseId: `t${index}`, name } } }),
  ...pieces.map((input) => frame('contentBlockDelta', { contentBlockIndex: index, delta: { toolUse: { input } } })),
  frame('contentBlockStop', { contentBlockIndex: index }),
];

describe('answers in binary frames', () => {
  const { app, upstream } = appWithUpstream({
    policies: {
      'production/policy.yaml': testPolicy('production', 'unread: { governed: refuse, other: flag }'),
      'staging/policy.yaml': testPolicy('staging', 'unread: { governed: refuse, other: refuse }'),
      'development/policy.yaml': testPolicy('development', 'mode: monitor'),
    },
  });

  interface Came {
    readonly status: number;
    readonly bytes: Buffer;
    readonly frames: readonly EventFrame[];
  }

  /** If `isCut`, the answer is sent in pieces of 7 bytes, so that frames are cut at any place. */
  async function answered(
    frames: readonly Buffer[],
    {
      key = app().bootstrap.keys.production,
      type = 'application/vnd.amazon.eventstream',
      path = PATH,
      isCut = false,
    } = {},
  ): Promise<Came> {
    const all = Buffer.concat(frames);
    upstream().answer(async (response) => {
      response.writeHead(200, { 'content-type': type });
      for (let at = 0; isCut && at < all.length; at += 7) {
        response.write(all.subarray(at, at + 7));
        await new Promise(setImmediate);
      }
      response.end(isCut ? undefined : all);
    });
    const response = await fetch(`${app().url}/proxy${path}`, {
      method: 'POST',
      headers: { 'x-service-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ role: 'user', content: [{ text: 'hi' }] }] }),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isFrames = response.status === 200 && beginsWithFrame(bytes);
    return { status: response.status, bytes, frames: isFrames ? new EventFrames().push(bytes) : [] };
  }

  const payloads = ({ frames }: Came): string[] => frames.map(({ payload }) => payload.toString());
  const lastEvent = async (): Promise<Record<string, unknown>> => {
    const response = await fetch(`${app().url}/v1/events?type=ai.response&limit=1`, {
      headers: { authorization: `Bearer ${app().bootstrap.token}` },
    });
    return ((await response.json()) as { data: [Record<string, unknown>] }).data[0];
  };

  it.each([false, true])(
    'are forwarded byte for byte if they contain no finding, and are recorded (split anywhere: %s)',
    async (isCut) => {
      const frames = text('It is ', 'sunny', ' today');
      const { status, bytes } = await answered(frames, { isCut });
      expect([status, bytes.equals(Buffer.concat(frames))]).toEqual([200, true]);
      expect(await lastEvent()).toMatchObject({ decision: 'allow', violations: [] });
    },
  );

  it.each([false, true])(
    'are masked in their frames, even if a value is split over frames (split anywhere: %s)',
    async (isCut) => {
      const came = await answered(text('write to ma', 'il-7', ' or so'), { isCut });
      const decoded = payloads(came).map((payload) => JSON.parse(payload) as { delta?: { text?: string } });
      expect(decoded.map(({ delta }) => delta?.text ?? '').join('')).toBe('write to [MAIL_1] or so');
      expect(came.bytes.includes('il-7')).toBe(false);
    },
  );

  it('with events of a model in base64 are masked inside the base64', async () => {
    const delta = (piece: string): object => ({
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'text_delta', text: piece },
    });
    const came = await answered([delta('see mai'), delta('l-8 now'), { type: 'message_stop' }].map(chunk));
    const decoded = payloads(came).map((payload) => {
      const { bytes, p } = JSON.parse(payload) as { bytes: string; p: string };
      expect(p).toBe(PADDING);
      return JSON.parse(Buffer.from(bytes, 'base64').toString()) as { delta?: { text: string } };
    });
    expect(decoded.map(({ delta: own }) => own?.text ?? '').join('')).toBe('see [MAIL_1] now');
  });

  it('of agents are masked inside the base64 of their text, and beside it', async () => {
    const piece = (words: string, more: object = {}): Buffer =>
      frame('chunk', { bytes: Buffer.from(words).toString('base64'), ...more });
    const attribution = { citations: [{ note: 'from mail-9' }] };
    const came = await answered([piece('see mai'), piece('l-8 now'), piece(' or', { attribution })]);
    const decoded = payloads(came).map((payload) => JSON.parse(payload) as { bytes: string; attribution?: object });
    const said = decoded.map(({ bytes }) => Buffer.from(bytes, 'base64').toString()).join('');
    expect(said).toMatch(/^see \[MAIL_\d\] now or$/);
    expect(JSON.stringify(decoded.at(-1)?.attribution)).toMatch(/from \[MAIL_\d\]/);
    expect((await lastEvent())['unread'] ?? []).toEqual([]);
  });

  it.each<[string, () => Buffer[]]>([
    ['by Converse', () => [...call(0, 'search', '{"q":', '"x"}'), ...call(1, 'run_shell', '{"comm', 'and":"ls"}')]],
    ['by Converse, with text before the call', () => [...text('fine').slice(0, 3), ...call(1, 'run_shell', '{}')]],
    ['by a model of Anthropic', () => [{ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'run_shell', input: {} } }, { type: 'content_block_stop', index: 0 }, { type: 'message_stop' }].map(chunk)],
    ['by a model that speaks as OpenAI', () => [{ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 'run_shell', arguments: '{}' } }] } }] }].map(chunk)],
  ])('that call a tool are refused %s, before the end of the call', async (_who, made) => {
    const { status, bytes, frames } = await answered(made());
    if (status === 200) {
      expect(frames.at(-1)?.texts?.get(':exception-type')).toBe('modelStreamErrorException');
      expect(frames.at(-1)?.payload.toString()).toContain('tool_use_blocked');
      expect(bytes.includes('"ls"}') || bytes.includes('run_shell"},"p')).toBe(false);
    } else expect([status, bytes.toString()]).toEqual([400, expect.stringContaining('tool_use_blocked')]);
    expect(await lastEvent()).toMatchObject({ decision: 'block' });
  }); // prettier-ignore

  it('have the arguments of each tool call masked separately', async () => {
    const came = await answered([
      ...call(0, 'search', '{"q":"ma', 'il-1"}'),
      ...call(1, 'search', '{"q":"ma', 'il-2"}'),
    ]);
    expect(came.bytes.toString('latin1')).not.toMatch(/il-[12]/);
    expect(payloads(came).join('')).toMatch(/MAIL_1.*MAIL_2/s);
  });

  it.each<[string, Buffer]>([
    ['bytes that are not text', frame('chunk', Buffer.from([0xff, 0xfe, 0x80, 0x00, 0x9f]))],
    ['unknown headers', frame('chunk', { x: 1 }, { 'x-note': 'mail-9' })],
    ['only unknown headers', frame('chunk', '', { 'x-note': 'mail-9' })],
    ['a type that is not a plain name', frame('to mail-9', { x: 1 })],
    ['two events in base64', frame('chunk', '{"bytes":"e30=","bytes":"e30="}')],
    ['bytes in base64 that are not text', frame('chunk', { bytes: Buffer.from([0xff, 0xfe]).toString('base64') })],
  ])('with %s are listed as unread, and refused if the policy refuses unread answers', async (_what, unread) => {
    const frames = [unread, ...text('fine')];
    const passed = await answered(frames);
    expect([passed.status, passed.bytes.equals(Buffer.concat(frames))]).toEqual([200, true]);
    expect(await lastEvent()).toMatchObject({ unread: [{ path: 'body', why: 'binary', bytes: unread.length }] });
    const { status } = await answered(frames, { key: app().bootstrap.keys.staging });
    expect(status).toBe(502);
  });

  it('are masked in the message of an error, which is a header', async () => {
    const headers = { ':message-type': 'error', ':error-code': 'InternalError', ':error-message': 'not mail-1' };
    const error = writeFrame(writeHeaders(headers), Buffer.alloc(0));
    const { bytes, frames } = await answered([...text('fine').slice(0, 2), error]);
    expect(bytes.includes('mail-1')).toBe(false);
    expect(frames.at(-1)?.texts?.get(':error-message')).toBe('not [MAIL_1]');
    expect(frames.at(-1)?.texts?.get(':error-code')).toBe('InternalError');
  });

  it('that continue with bytes outside a frame are refused', async () => {
    const { bytes } = await answered([...text('fine').slice(0, 2), Buffer.from('{"text":"mail-1"} and more of it')]);
    expect(bytes.includes('mail-1')).toBe(false);
  });

  it.each(['{"text":"mail-7"}', 'data: {"text":"mail-7"}\n\n'])(
    'without frames despite their content type are judged by their content: %j',
    async (answer) => {
      const { status, bytes } = await answered([Buffer.from(answer)]);
      expect([status, bytes.toString()]).toEqual([200, answer.replace('mail-7', '[MAIL_1]')]);
    },
  );

  it.each(['application/octet-stream', 'application/json', 'text/plain'])(
    'are judged even with the content type %s',
    async (type) => {
      const { bytes } = await answered(text('mail-7'), { type });
      expect(bytes.includes('mail-7')).toBe(false);
    },
  );

  it('are forwarded unchanged and recorded in monitor mode', async () => {
    const frames = [...text('mail-7'), ...call(1, 'run_shell', '{}')];
    const { bytes } = await answered(frames, { key: app().bootstrap.keys.development });
    expect(bytes.equals(Buffer.concat(frames))).toBe(true);
    expect(JSON.stringify(await lastEvent())).toContain('tool.block-shell');
  });
});
