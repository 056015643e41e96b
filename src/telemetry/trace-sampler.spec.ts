import { SENT_EACH_SECOND, sampleReservoir, sampleShare, SHARE_BEYOND } from './trace-sampler.js';

describe('Sampling of traces', () => {
  it('sends the first traces of each second, and a share of the traces after them', () => {
    let nowMs = 5_400;
    let next = 0;
    // 0, 0.01, 0.02 … 0.99, over and over.
    const random = (): number => (next++ % 100) / 100;
    const sampled = sampleReservoir(() => nowMs, random);
    const sentOf = (calls: number): number => Array.from({ length: calls }, sampled).filter(Boolean).length;

    expect(sentOf(SENT_EACH_SECOND)).toBe(SENT_EACH_SECOND);
    expect(sentOf(100)).toBe(100 * SHARE_BEYOND);
    nowMs = 6_001;
    expect(sentOf(SENT_EACH_SECOND)).toBe(SENT_EACH_SECOND);
    expect(sentOf(100)).toBe(100 * SHARE_BEYOND);
  });

  it.each([
    [0, 0],
    [0.25, 25],
    [1, 100],
  ])('sends a share of %d of all traces', (share, sent) => {
    let next = 0;
    const sampled = sampleShare(share, () => (next++ % 100) / 100);
    expect(Array.from({ length: 100 }, sampled).filter(Boolean)).toHaveLength(sent);
  });
});
