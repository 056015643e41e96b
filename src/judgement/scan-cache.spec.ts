import fc from 'fast-check';
import { atOnce, joinsOf, runScan, type BoundDetector, type Segment } from '../core/index.js';
import { ScanCache, type ScanScope } from './scan-cache.js';

const binding = {
  plugin: 'words',
  version: '1.0.0',
  revision: 1,
  options: {},
  codes: ['BAD'],
  minScore: {},
  timeoutMs: 1_000,
};
let scans = 0;
/**
 * Finds `bad`, and in texts under the key `strict` also `odd`; it fails on `faulty`. Its findings also depend on the
 * role.
 */
const detector = (key: string): BoundDetector => ({
  binding: { ...binding, key },
  scan: (text, hint) => {
    scans++;
    if (text.includes('faulty')) throw new Error('no');
    const pattern = hint?.key === 'strict' ? /bad|odd/g : /bad/g;
    return [...text.matchAll(pattern)].map((match) => ({
      code: `BAD_${hint?.role ?? ''}`,
      start: match.index,
      end: match.index + 3,
      score: 1,
    }));
  },
});
const detectors = [detector('one'), detector('two')];
const segment = (text: string, more: Partial<Segment> = {}): Segment => ({
  path: 'p',
  role: 'user',
  text,
  ref: 0,
  ...more,
});
const limits = { nowMs: () => 0, deadlineMs: 1_000 };
const scope = (policy: string, appId: string): ScanScope => ({ policy, appId, detectors: detectors.length });

describe('ScanCache', () => {
  beforeEach(() => void (scans = 0));

  it('never changes the findings, whatever was scanned before and however small the cache is', async () => {
    const text = fc.array(fc.constantFrom('bad', 'odd', 'fine', ' '), { maxLength: 4 }).map((words) => words.join(''));
    const segments = fc.array(
      fc.record({
        path: fc.constant('p'),
        role: fc.constantFrom('user', 'system'),
        text: fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: fc.constant('faulty') }),
        ref: fc.constant(0),
      }),
      { maxLength: 6 },
    );
    const keyed = fc
      .tuple(segments, fc.boolean())
      .map(
        ([list, strict]): Segment[] => list.map((each) => (strict ? { ...each, key: 'strict' } : each)) as Segment[],
      );
    await fc.assert(
      fc.asyncProperty(
        fc.array(keyed, { maxLength: 6 }),
        fc.integer({ min: 0, max: 4_000 }),
        fc.boolean(),
        async (calls, room, neighbours) => {
          const cache = new ScanCache(room);
          for (const call of calls) {
            const memory = cache.memory(scope('digest', 'app'));
            const own = await runScan(detectors, call, { ...limits, neighbours });
            expect(await runScan(detectors, call, { ...limits, neighbours, memory })).toEqual(own);
            expect(cache.size.bytes).toBeLessThanOrEqual(room);
          }
        },
      ),
    );
  });

  it('scans only what a turn adds to a conversation', async () => {
    const cache = new ScanCache(1_000_000);
    const messages: Segment[] = [];
    const costs: number[] = [];
    for (let turn = 0; turn < 30; turn++) {
      messages.push(segment(`question ${turn}`), segment(`answer ${turn}`, { role: 'assistant' }));
      scans = 0;
      await runScan(detectors, messages, { ...limits, memory: cache.memory(scope('digest', 'app')) });
      costs.push(scans);
    }
    expect(new Set(costs)).toEqual(new Set([4]));
  });

  it('searches only what a turn adds to a conversation for values that are split over its lines', async () => {
    const cache = new ScanCache(1_000_000);
    const searched: string[] = [];
    const elsewhere = {
      ...{ fromUnits: Infinity, joinsFromUnits: 1, knows: () => false, noteSlow: () => undefined },
      scan: () => Promise.reject(new Error('not asked')),
      joins: (text: string) => {
        searched.push(text);
        return Promise.resolve(atOnce(joinsOf(text, 0)));
      },
    };
    const split = 'the key b4d0\nand-b5d6 ends';
    for (const messages of [['first'], ['first', split, 'third'], ['first', split, 'third', 'last']]) {
      const memory = cache.memory(scope('digest', 'app'));
      const segments = messages.map((text) => segment(text));
      await runScan(detectors, segments, { ...limits, neighbours: true, memory, elsewhere });
    }
    // Only that nothing is split is remembered.
    expect(searched).toEqual(['first', split, 'third', split, 'last']);
  });

  it('keeps separate entries for each policy and app', async () => {
    const cache = new ScanCache(1_000_000);
    for (const [digest, app, expected] of [
      ['d1', 'a1', 2],
      ['d1', 'a1', 0],
      ['d2', 'a1', 2],
      ['d1', 'a2', 2],
    ] as const) {
      scans = 0;
      await runScan(detectors, [segment('bad')], { ...limits, memory: cache.memory(scope(digest, app)) });
      expect(scans).toBe(expected);
    }
  });

  it('removes the least recently used entries and stays within its limit', async () => {
    const cache = new ScanCache(5_000);
    const look = async (text: string): Promise<number> => {
      scans = 0;
      await runScan(detectors, [segment(text)], { ...limits, memory: cache.memory(scope('d', 'a')) });
      return scans;
    };
    await look('kept');
    for (let index = 0; index < 200; index++) {
      await look(`text ${index}`);
      if (index % 3 === 0) expect(await look('kept')).toBe(0);
    }
    expect(await look('text 0')).toBe(2);
    expect(cache.size.entries).toBeGreaterThan(5);
    expect(cache.size.bytes).toBeLessThanOrEqual(5_000);
  });

  it('tells texts, keys and lists apart, however they are cut', () => {
    const cache = new ScanCache(10_000_000);
    const some = fc.constantFrom('', 'a', '1:a', 'auser \n', 'auser \n0:', '\n1:a', '\ud800', '\udc00', '\ufffd');
    const one = fc.record({ text: some, key: fc.oneof(fc.constant(undefined), some) });
    const lists = fc.array(one, { maxLength: 3 });
    const known = new Set<string>();
    type Listed = { readonly text: string; readonly key: string | undefined };
    const examples = [['a', ''], ['auser \n'], ['auser \n0:']].map((texts): [Listed[]] => [
      texts.map((text) => ({ text, key: undefined })),
    ]);
    fc.assert(
      fc.property(lists, (list) => {
        const segments = list.map(({ text, key }) => segment(text, key === undefined ? {} : { key }));
        const clean = cache.cleanTexts(scope('digest', 'app'), segments)!;
        const name = JSON.stringify(list.map(({ text, key = null }) => [text, key]));
        expect([name, clean.areKnown]).toEqual([name, known.has(name)]);
        known.add(name);
        clean.keep();
        const [first] = segments;
        if (first === undefined) return;
        const memory = cache.memory(scope('digest', 'app')).of(first);
        const own = `one ${JSON.stringify([first.text, first.key ?? null])}`;
        expect([own, memory.recall('one') !== undefined]).toEqual([own, known.has(own)]);
        known.add(own);
        memory.keep('one', []);
      }),
      { numRuns: 500, examples },
    );
  });

  it('does not look up texts together that may be several texts, or that are too long', () => {
    const cache = new ScanCache(1_000_000);
    expect(cache.cleanTexts(scope('d', 'a'), [segment('ab', { cuts: [1] })])).toBeUndefined();
    expect(
      cache.cleanTexts(scope('d', 'a'), [segment('a'.repeat(600_000)), segment('a'.repeat(600_000))]),
    ).toBeUndefined();
  });

  it('stores no text', async () => {
    const cache = new ScanCache(1_000_000);
    await runScan(detectors, [segment('a bad zanzibar')], { ...limits, memory: cache.memory(scope('d', 'a')) });
    const entries = [...(cache as unknown as { entries: Map<string, { findings: Map<string, unknown> }> }).entries];
    const held = JSON.stringify(entries.map(([key, { findings }]) => [key, [...findings]]));
    expect(held).toContain('BAD_user');
    expect(held).not.toMatch(/zanzibar|a bad/);
  });
});
