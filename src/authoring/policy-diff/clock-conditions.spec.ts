import { evaluate } from '../../core/decision/evaluate.js';
import { FACTS } from '../../core/decision/testdata/judge.js';
import { compilePolicy } from '../../core/policy/compile-policy.js';
import { PLUGINS } from '../../core/policy/testdata/plugins.js';
import { head, policyOf } from '../../core/policy/testdata/sample-policy.js';
import { compareVerdicts } from './index.js';

const nowMs = Date.parse('2026-11-21T09:00:00Z');
const HOUR_MS = 3_600_000;
const written = (when: string, more = ''): string => `${head()}
rules:
  - id: hours.closed
    stage: pre
    when: ${when}
    then: { action: block }
    on_unknown: match
${more}`;
const NIGHT = '{ any: [{ clock.hour.Europe/Berlin: { lt: 7 } }, { clock.hour.Europe/Berlin: { gte: 19 } }] }';
const SHORTER = NIGHT.replace('gte: 19', 'gte: 20');
const WEEKEND = '{ clock.weekday.Europe/Berlin: { in: [saturday, sunday] } }';

const actionAt = async (text: string, instant: number): Promise<string> =>
  (await evaluate(policyOf(text), { stage: 'pre', nowMs: instant, facts: FACTS, clientMonitor: false })).action;

describe('conditions about the time of a call', () => {
  it.each([
    ['2026-11-23T05:59:00Z', NIGHT, 'block'],
    ['2026-11-23T06:00:00Z', NIGHT, 'allow'],
    ['2026-07-23T05:00:00Z', NIGHT, 'allow'],
    ['2026-11-21T22:59:00Z', WEEKEND, 'block'],
    ['2026-11-22T23:00:00Z', WEEKEND, 'allow'],
  ])('decide at %s with %s: %s', async (instant, when, action) => {
    expect(await actionAt(written(when), Date.parse(instant))).toBe(action);
  });

  it.each([
    ['an unknown zone', '{ clock.hour.Europe/Atlantis: { lt: 7 } }', 'G101'],
    ['no zone', '{ clock.hour: { lt: 7 } }', 'G101'],
    ['an hour above 23', '{ clock.hour.UTC: { gte: 24 } }', 'G108'],
    ['an unknown weekday', '{ clock.weekday.UTC: sonntag }', 'G107'],
  ])('do not compile with %s', (_what, when, code) => {
    const files = [{ path: 'policies/production/policy.yaml', text: written(when) }];
    const { problems } = compilePolicy({ environment: 'production', files, plugins: PLUGINS });
    expect(problems.map((problem) => problem.code)).toEqual([code]);
  });

  it.each([
    ['an hour less', NIGHT, SHORTER, 'weaker'],
    ['an hour more', SHORTER, NIGHT, 'stricter'],
    ['one day less', WEEKEND, WEEKEND.replace('saturday, ', ''), 'weaker'],
    [
      'a combination of hour and day',
      WEEKEND,
      `{ all: [${WEEKEND}, { clock.hour.Europe/Berlin: { gte: 3 } }] }`,
      'weaker',
    ],
  ])(
    'are compared by a call at an instant for which the policies decide differently: %s',
    async (_what, before, after, direction) => {
      const changes = await compareVerdicts(policyOf(written(before)), policyOf(written(after)), {
        plugins: PLUGINS,
        nowMs,
      });
      expect(changes.map((change) => change.direction)).toEqual([direction]);
      const shown = Date.parse(changes[0]!.request.at!);
      expect(await actionAt(written(before), shown)).not.toBe(await actionAt(written(after), shown));
    },
  );

  it('are compared by calls at instants whose hour differs between two time zones', async () => {
    const [before, after] = [written(NIGHT), written(NIGHT.replaceAll('Europe/Berlin', 'Asia/Kolkata'))];
    const changes = await compareVerdicts(policyOf(before), policyOf(after), { plugins: PLUGINS, nowMs });
    expect(changes.map((change) => change.direction).sort()).toEqual(['stricter', 'weaker']);
    for (const { request, direction } of changes) {
      expect(await actionAt(after, Date.parse(request.at!))).toBe(direction === 'weaker' ? 'allow' : 'block');
    }
  });

  it('are compared before and after the end of an exception', async () => {
    const until = nowMs + 2 * HOUR_MS;
    const exception = `exceptions:
  - id: open-house
    rules: [hours.closed]
    because: open house
    approved_by: sec
    ticket: X-1
    expires: ${new Date(until).toISOString()}
`;
    const changes = await compareVerdicts(policyOf(written(NIGHT, exception)), policyOf(written(SHORTER, exception)), {
      plugins: PLUGINS,
      nowMs,
    });
    expect(changes.some(({ direction, request }) => direction === 'weaker' && Date.parse(request.at!) >= until)).toBe(
      true,
    );
  });
});
