import { MetricsText } from './metrics-text.js';

/** Texts that take as long as the test says, on a simulated clock. */
function texts() {
  let ms = 5_000;
  const making: PromiseWithResolvers<string>[] = [];
  const planned: { readonly work: () => void; readonly ms: number }[] = [];
  const text = new MetricsText(
    () => {
      const made = Promise.withResolvers<string>();
      making.push(made);
      return made.promise;
    },
    { nowMs: () => ms, later: (work, afterMs) => planned.push({ work, ms: afterMs }) },
  );
  return {
    text,
    making,
    planned,
    async passing(tookMs: number): Promise<void> {
      ms += tookMs;
      await new Promise(setImmediate);
    },
  };
}

describe('The text of the metrics', () => {
  it('is made once for all requests that arrive before its beginning, and never for later ones', async () => {
    const { text, making, planned, passing } = texts();
    const first = text.get();
    const later = [text.get(), text.get()];
    expect(making).toHaveLength(1);
    making[0]!.resolve('1');
    await passing(10);
    expect(await first).toBe('1');
    expect(making).toHaveLength(1);
    planned[0]!.work();
    expect(making).toHaveLength(2);
    making[1]!.resolve('2');
    expect(await Promise.all(later)).toEqual(['2', '2']);
  });

  it.each([
    [10, 40],
    [2_000, 1_000],
  ])('that took %d ms is followed by a pause of %d ms', async (tookMs, pauseMs) => {
    const { text, making, planned, passing } = texts();
    const got = text.get();
    await passing(tookMs);
    making[0]!.resolve('');
    await got;
    await passing(0);
    expect(planned.map(({ ms }) => ms)).toEqual([pauseMs]);
  });

  it('is made again after a failure', async () => {
    const { text, making, planned, passing } = texts();
    const failed = text.get();
    making[0]!.reject(new Error('away'));
    await expect(failed).rejects.toThrow('away');
    await passing(0);
    planned[0]!.work();
    const next = text.get();
    making[1]!.resolve('2');
    expect(await next).toBe('2');
  });
});
