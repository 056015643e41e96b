import { hash } from 'node:crypto';
import fc from 'fast-check';
import type { BoundDetector } from '../core/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import { maskedId } from './client-ids.js';
import { JudgementService } from './judgement.service.js';
import { ScanCache } from './scan-cache.js';
import { NAME_WORD, SECRET_WORD, policy } from './testdata/worked-calls.js';

const accountId = 'account-1';
/** The number of ids that are remembered. */
const REMEMBERED = 2_000;

/** A service with a cache, and a policy that records what its detectors scan. */
function watched() {
  const scanned: string[] = [];
  const watching = (detector: BoundDetector): BoundDetector => ({
    ...detector,
    scan: (...[text, ...rest]: Parameters<BoundDetector['scan']>) => {
      scanned.push(text);
      return detector.scan(text, ...rest);
    },
  });
  const original = policy();
  const active: ActivePolicy = { ...original, detectors: original.detectors.map(watching) };
  return { active, scanned, judging: new JudgementService(clock, undefined, tokens, new ScanCache(1_000_000)) };
}

const clock = { nowMs: () => 0, monotonicMs: () => 0 };
const tokens = { of: (id: string) => Promise.resolve((text: string) => hash('sha256', `${id} ${text}`, 'buffer')) };
const storedId = (judging: JudgementService, by: ActivePolicy, text: string, sharedIn = 'app-1'): Promise<string> =>
  maskedId(judging, by, accountId, { path: 'request_id', text, sharedIn });

describe('Ids that several events of an app share', () => {
  it('are stored as if each were scanned every time, whatever was scanned before, also after the policy changes', async () => {
    const strict = policy();
    /** A policy whose detectors find nothing, one that finds words, one that stores texts unchanged, one whose detectors fail. */
    const policies: readonly ActivePolicy[] = [
      { ...strict, digest: 'a'.repeat(64), detectors: [] },
      strict,
      { ...strict, digest: 'b'.repeat(64), policy: { ...strict.policy, content: 'full' } },
      { ...strict, digest: 'c'.repeat(64), detectors: strict.detectors.map((each) => ({ ...each, scan: failing })) },
    ];
    const withoutMemory = new JudgementService(clock, undefined, tokens);
    const { judging } = watched();
    const words = fc.constantFrom('call', '-', '1', SECRET_WORD, NAME_WORD, 'faulty', '\ud800');
    const id = fc.array(words, { minLength: 1, maxLength: 3 }).map((all) => all.join(''));
    const event = fc.record({ id, policy: fc.constantFrom(...policies), app: fc.constantFrom('app-1', 'app-2') });
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 8 }), async (events) => {
        for (const { id: text, policy: by, app } of [...events, ...events]) {
          const stored = await storedId(judging, by, text, app);
          expect(stored).toBe(await storedId(withoutMemory, by, text, app));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('are scanned once if nothing is found in them, until the app or the policy differs', async () => {
    const { active, scanned, judging } = watched();
    const next: ActivePolicy = { ...active, digest: 'e'.repeat(64) };
    for (const [by, app, scans] of [
      [active, 'app-1', 1],
      [active, 'app-1', 0],
      [active, 'app-2', 1],
      [next, 'app-1', 1],
      [next, 'app-1', 0],
      [active, 'app-1', 0],
    ] as const) {
      scanned.length = 0;
      expect(await storedId(judging, by, 'call-1', app)).toBe('call-1');
      expect(scanned).toHaveLength(scans);
    }
  });

  it('are scanned each time if something is found in them, or if a detector fails', async () => {
    const { active, scanned, judging } = watched();
    for (const text of [`call-${NAME_WORD}`, 'call-faulty']) {
      const stored = await storedId(judging, active, text);
      expect(stored).not.toContain(text);
      expect(await storedId(judging, active, text)).toBe(stored);
      expect(scanned.filter((each) => each === text)).toHaveLength(2);
    }
  });

  it('are scanned each time if a detector is a service, or if the cache is turned off', async () => {
    const { active, scanned, judging } = watched();
    const asked: ActivePolicy = {
      ...active,
      detectors: [...active.detectors, { ...active.detectors[0]!, remote: {} as NonNullable<BoundDetector['remote']> }],
    };
    for (let time = 0; time < 2; time += 1) await storedId(judging, asked, 'call-1');
    const withoutCache = new JudgementService(clock, undefined, tokens);
    for (let time = 0; time < 2; time += 1) await storedId(withoutCache, active, 'call-2');
    expect(scanned).toEqual(['call-1', 'call-1', 'call-2', 'call-2']);
  });

  it('are forgotten when many newer ones have come, and displace no text from the cache', async () => {
    const { active, scanned, judging } = watched();
    const note = { path: 'metadata.note', role: 'metadata', text: 'note', ref: 0 } as const;
    const whose = { accountId, comesAgainIn: 'app-1' };
    await judging.maskTexts(active, [note], whose);
    for (let call = 0; call <= REMEMBERED; call += 1) await storedId(judging, active, `call-${call}`);
    scanned.length = 0;
    await judging.maskTexts(active, [note], whose);
    for (const call of [REMEMBERED, 1, 0]) await storedId(judging, active, `call-${call}`);
    expect(scanned).toEqual(['call-0']);
  });
});

function failing(): never {
  throw new Error('no');
}
