import { runOnAnswers } from '../../../test/support/run-on-answers.js';

const TOTALS = {
  ...{ calls: 1, allowed: 1, flagged: 0, would_block: 0, redacted: 0, blocked: 0, unavailable: 0, errors: 0 },
  ...{ cost_nano_usd: '0', without_price: 0, prompt_tokens: 1, completion_tokens: 1 },
  weir_ms: { p50: 1, p95: 1, p99: 1 },
};
const STATS = {
  ...{ from: '2026-11-20T09:00:00.000Z', to: '2026-11-21T09:00:00.000Z', step_seconds: 3_600 },
  ...{ complete_until: '2026-11-21T09:00:00.000Z', buckets: [], groups: [], totals: TOTALS, previous: TOTALS },
};
const DAY_MS = 86_400_000;
const stats = (...argv: string[]) => runOnAnswers(['stats', ...argv], STATS);

describe('weir stats', () => {
  it('requests exactly the named span, so that the longest one is accepted', async () => {
    const { asked } = await stats('--since', '400d');
    const [from, to] = ['from', 'to'].map((name) => Date.parse(asked[0]?.searchParams.get(name) ?? ''));
    expect(to! - from!).toBe(400 * DAY_MS);
  });

  it('leaves the end of the range to the service after a time', async () => {
    const { asked } = await stats('--since', '2026-11-20');
    expect([asked[0]?.searchParams.get('from'), asked[0]?.searchParams.get('to')]).toEqual(['2026-11-20', null]);
  });

  it('names the time zone of its range', async () => {
    expect((await stats()).stdout).toMatch(/^FIGURE +2026-11-20 09:00 TO 2026-11-21 09:00 UTC {2}PERIOD BEFORE\n/);
  });

  it.each([
    ['1m', '60'],
    ['5m', '300'],
    ['120s', '120'],
    ['90m', '5400'],
    ['24h', '86400'],
    ['1d', '86400'],
  ])('requests buckets of %s', async (step, seconds) => {
    expect((await stats('--step', step)).asked[0]?.searchParams.get('step')).toBe(seconds);
  });

  it.each([['7m'], ['5h'], ['90s'], ['30s'], ['0m'], ['2d'], ['1w'], ['x'], ['']])(
    'refuses buckets of %j without a request',
    async (step) => {
      const { exit, stderr, asked } = await stats(`--step=${step}`);
      expect([exit, asked]).toEqual([2, []]);
      expect(stderr).toBe(
        'exit 2: --step takes a length that divides a day evenly, from 1m to 1d, such as 5m, 1h or 1d\n',
      );
    },
  );
});
