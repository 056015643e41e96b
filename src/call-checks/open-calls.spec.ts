import type { AdmittedCall } from '../calls/index.js';
import { NO_TEXTS, parseJson, type JsonValue, type Segment } from '../core/index.js';
import { OpenCalls } from './open-calls.js';

const KIB = 1024;
const LIMITS = { bytes: 1_000 * KIB, ofAccount: 700 * KIB };
const KEPT_MS = 600_000;

interface Parts {
  readonly texts?: readonly string[];
  /** Texts that are not in the document. */
  readonly files?: readonly string[];
  readonly schema?: JsonValue;
  readonly body?: string;
}

function callOf(id: string, accountId = 'one', parts: Parts = {}): AdmittedCall {
  const { texts = [], files = [], schema, body = '{}' } = parts;
  const segment = (text: string, ref: number): Segment => ({ path: 'a[0]', role: 'user', text, ref });
  return {
    id,
    caller: { accountId },
    annotations: {},
    doc: parseJson(body),
    textBody: {},
    claim: {},
    leave: () => id,
    rollback: () => id,
    request: {
      ...NO_TEXTS,
      segments: [...texts.map((text) => segment(text, 0)), ...files.map((text) => segment(text, -1))],
      ...(schema === undefined ? {} : { declaredTools: [{ name: 'tool', path: 'tools[0]', schema }] }),
    },
    judgement: {
      ...{ findings: [], outcomes: [], restorable: new Map(), edits: [{}], violations: [{}] },
      snapshot: '{"a":1}',
    },
  } as unknown as AdmittedCall;
}

describe('Open calls', () => {
  let nowMs = 0;
  const opened = (...calls: readonly AdmittedCall[]): OpenCalls => {
    const open = new OpenCalls(LIMITS, () => nowMs);
    for (const call of calls) open.add(call);
    return open;
  };
  const found = (open: OpenCalls, ids: readonly string[]): string[] => ids.filter((id) => open.find(id) !== undefined);
  beforeEach(() => {
    nowMs = 0;
  });

  it('are kept without their bodies, and without references to their connections', () => {
    const open = opened(callOf('a', 'one', { texts: ['secret'] }));
    const call = open.find('a');
    expect(call?.request.segments.map(({ text }) => text)).toEqual(['secret']);
    expect(call).toMatchObject({ judgement: { edits: [], violations: [], snapshot: '{}' } });
    for (const name of ['doc', 'textBody', 'claim']) expect(call).not.toHaveProperty(name);
    expect([call?.leave(), call?.rollback()]).toEqual([undefined, undefined]);
  });

  it.each(['{"web_search_options":{"a":"b"}}', '{"model":"gpt-4o-search-preview"}'])(
    'are still known to search the web if their body is %s',
    (body) => {
      const call = opened(callOf('a', 'one', { body })).find('a');
      expect(call?.doc?.text).toBe('{"web_search_options":null}');
    },
  );

  it.each<[string, Parts]>([
    ['texts', { texts: ['x'.repeat(300 * KIB)] }],
    ['very short texts', { texts: Array.from({ length: 1_200 }, () => 'x') }],
    ['texts of files', { files: ['x'.repeat(170 * KIB)] }],
    ['characters between texts', { body: `{${' '.repeat(170 * KIB)}}` }],
    ['values in schemas of tools', { schema: Array.from({ length: 5_000 }, () => []) }],
  ])('use memory for %s', (_name, parts) => {
    const open = opened(...['a', 'b', 'c'].map((id) => callOf(id, 'one', parts)));
    expect(found(open, ['a', 'b', 'c'])).toEqual(['b', 'c']);
  });

  it('are not kept if one of them needs more than the part of an account, and then remove no other call', () => {
    const open = opened(callOf('a'), callOf('b', 'one', { files: ['x'.repeat(400 * KIB)] }));
    expect(found(open, ['a', 'b'])).toEqual(['a']);
  });

  it('are removed for calls of the account that uses most memory first', () => {
    const large = { files: ['x'.repeat(150 * KIB)] };
    const open = opened(
      callOf('quiet', 'quiet', { files: ['x'.repeat(100 * KIB)] }),
      ...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => callOf(id, 'loud', large)),
    );
    expect(found(open, ['quiet', 'a', 'b', 'c', 'd', 'e', 'f'])).toEqual(['quiet', 'e', 'f']);
    open.add(callOf('third', 'third', large));
    open.add(callOf('fourth', 'fourth', large));
    expect(found(open, ['quiet', 'e', 'f', 'third', 'fourth'])).toEqual(['quiet', 'third', 'fourth']);
  });

  it('free their memory when they end', () => {
    const large = { files: ['x'.repeat(150 * KIB)] };
    const open = opened(callOf('a', 'one', large), callOf('b', 'one', large));
    open.delete('a');
    open.delete('a');
    open.add(callOf('c', 'one', large));
    open.add(callOf('c', 'one', large));
    expect(found(open, ['a', 'b', 'c'])).toEqual(['b', 'c']);
  });

  it('are removed after their time, even if nobody asks for them', () => {
    const open = opened(callOf('a'));
    nowMs = KEPT_MS / 2;
    open.add(callOf('b'));
    nowMs = KEPT_MS;
    expect(found(open, ['a', 'b'])).toEqual(['b']);
    open.purge();
    expect(open.count).toBe(1);
    nowMs = 2 * KEPT_MS;
    open.purge();
    expect(open.count).toBe(0);
  });
});
