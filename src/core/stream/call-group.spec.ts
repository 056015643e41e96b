import { CallGroup } from './call-group.js';
import type { PlacedCall } from './stream-event.js';
import { StreamOrderError } from './stream-order-error.js';
import { guardedPolicy, masks } from './testdata/guarded-policy.js';
import { guard } from './testdata/guarding.js';
import { chunk, frame } from './testdata/provider-streams.js';

const MASKING = guardedPolicy(masks('mask.tool', ['TICKET'], '{ marks.types: { any_of: [TICKET] } }', 'tool'));
const PIECES = Array.from({ length: 100 }, (_, at) => ({ at }) as PlacedCall);

describe('CallGroup', () => {
  it('asks each complete piece once, however often more pieces arrive', () => {
    const group = new CallGroup();
    let asked = 0;
    const isComplete = (): boolean => ++asked > 0;
    for (const piece of PIECES) {
      group.pieces.push(piece);
      expect(group.arePiecesComplete(isComplete)).toBe(true);
    }
    expect(asked).toBe(PIECES.length);
  });

  it('is not complete while one of its pieces may go on, also if that was complete before', () => {
    const group = new CallGroup();
    group.pieces.push(...PIECES);
    expect(group.arePiecesComplete(({ at }) => at !== 50)).toBe(false);
    expect(group.arePiecesComplete(() => true)).toBe(true);
    expect(group.arePiecesComplete(() => false)).toBe(true);
    group.reopen();
    expect(group.arePiecesComplete(({ at }) => at !== 3)).toBe(false);
  });

  it('returns each piece once for the verdicts on names', () => {
    const group = new CallGroup();
    const early = PIECES.flatMap((piece) => {
      group.pieces.push(piece);
      return group.takeEarly();
    });
    expect(early).toEqual(PIECES);
    expect(group.takeEarly()).toEqual([]);
  });
});

describe('a tool call that a response repeats', () => {
  const item = { type: 'web_search_call', id: 'ws_1', status: 'completed' };
  const done = (own: object): string =>
    frame({ type: 'response.output_item.done', output_index: 0, item: own }, 'response.output_item.done');
  const repeated = done(item);

  it('is forwarded each time, however often', async () => {
    const events = Array<string>(400).fill(repeated);
    expect((await guard(MASKING, 'openai.responses', events)).text).toBe(events.join(''));
  });

  it('is masked each time', async () => {
    const call = { type: 'function_call', id: 'f', call_id: 'c', arguments: '{"to":"TK-123"}' };
    const { text } = await guard(MASKING, 'openai.responses', Array<string>(200).fill(done(call)));
    expect(text.match(/\[TICKET\]/g)?.length).toBe(200);
    expect(text).not.toContain('TK-123');
  });

  it('ends the stream with an error if each repetition is another call', async () => {
    const events = Array.from({ length: 200 }, (_, at) => done({ ...item, id: `ws_${at}` }));
    await expect(guard(MASKING, 'openai.responses', events)).rejects.toThrow(StreamOrderError);
  });
});

describe('the name of a tool call that arrives after the beginning of its arguments', () => {
  /** The number of scans for a name with a ticket in this many pieces. */
  async function scansFor(count: number): Promise<number> {
    let scans = 0;
    const detectors = MASKING.detectors.map((detector) => ({
      ...detector,
      scan: (...given: Parameters<typeof detector.scan>) => {
        scans++;
        return detector.scan(...given);
      },
    }));
    const piece = (call: object): string =>
      chunk([{ index: 0, delta: { tool_calls: [{ index: 0, id: 'c', function: call }] } }]);
    const events = [
      piece({ name: 'TK-123 ', arguments: '{"a":' }),
      ...Array<string>(count).fill(piece({ name: 'a' })),
      chunk([{ index: 0, delta: {}, finish_reason: 'tool_calls' }]),
    ];
    const { text } = await guard({ ...MASKING, detectors }, 'openai.chat', events);
    expect(text).not.toContain('TK-123');
    return scans;
  }

  it('is scanned with each piece only while it is short', async () => {
    expect((await scansFor(1_200)) - (await scansFor(800))).toBeLessThan(10_000);
  });
});
