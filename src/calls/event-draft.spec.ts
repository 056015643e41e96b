import type { DetectorOutcome } from '../core/index.js';
import type { Judgement } from '../judgement/index.js';
import type { ActivePolicy } from '../policy-store/index.js';
import { draftEvent, type EventParts } from './event-draft.js';

const POLICY = {
  policy: {
    id: 'p',
    content: 'redacted',
    detectors: [
      { key: 'one', version: '1.0.0' },
      { key: 'two', version: '2.0.0' },
    ],
  },
  digest: 'd',
  version: 'v',
} as unknown as ActivePolicy;

const scanned = (detector: string, revision = 1): DetectorOutcome => ({
  ...{ detector, plugin: 'words', revision },
  status: 'scanned',
  findings: [],
});
const failed = (detector: string): DetectorOutcome => ({
  ...{ detector, plugin: 'words', revision: 1 },
  status: 'failed',
  reason: 'timeout',
});

/** The records of detectors in an event that was judged with these outcomes. */
const recordsOf = (outcomes: readonly DetectorOutcome[]) =>
  draftEvent(
    {
      ...{ id: 'i', eventId: 'i', type: 'ai.request', source: 'rest', declaredEnvironment: 'production' },
      caller: { accountId: 'a', appId: 'b', keyId: 'c', environment: 'production' },
      policy: POLICY,
      judgement: { outcomes, excepted: [], unavailable: false, snapshot: '{}' } as unknown as Judgement,
      ...{ violations: [], redactions: [], latencyMs: { weir: 1 }, receivedAt: new Date(0) },
    } as unknown as EventParts,
    {},
  ).detectors;

describe('The detectors of an event', () => {
  it('are those that judged it, with the result of each, whatever was recorded before', () => {
    const record = (key: string, version: string, status = 'scanned', revision = 1) => ({
      ...{ key, plugin: 'words', version, revision, status },
    });
    const both = [record('one', '1.0.0'), record('two', '2.0.0')];
    for (let time = 0; time < 2; time++) {
      expect(recordsOf([scanned('one'), scanned('two')])).toEqual(both);
      expect(recordsOf([scanned('one'), failed('two')])).toEqual([both[0], record('two', '2.0.0', 'timeout')]);
      expect(recordsOf([scanned('two'), scanned('one')])).toEqual(both.toReversed());
      expect(recordsOf([scanned('one')])).toEqual([both[0]]);
      expect(recordsOf([scanned('one'), scanned('two', 2)])).toEqual([both[0], record('two', '2.0.0', 'scanned', 2)]);
    }
  });

  it('are one list for all events in which every detector has scanned', () => {
    expect(recordsOf([scanned('one'), scanned('two')])).toBe(recordsOf([scanned('one'), scanned('two')]));
  });
});
