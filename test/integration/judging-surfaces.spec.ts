import { WeirError } from '../../src/http/index.js';
import { JudgementService } from '../../src/judgement/index.js';
import { Overload } from '../../src/limits/index.js';
import { EXPECTED } from '../routes/expectations.js';
import { RouteMatrix, STRIPE_SECRET } from '../routes/matrix.js';
import { Tenants } from '../routes/tenants.js';
import { appWithUpstream } from '../support/app-with-upstream.js';

/** Every route at which calls or their answers are judged. */
const JUDGING = [
  'POST /v1/events',
  'POST /v1/events:batch',
  'POST /v1/policies/{environment}/evaluate',
  'POST /v1/calls/{provider}/{path}',
  'POST /v1/calls/{call}/answer',
  'POST /v1/calls/answers',
];
const isJudging = (route: string): boolean => JUDGING.includes(route) || route.includes(' /proxy/');

const LONGEST_NOTE = 500;

describe('While the service is overloaded', () => {
  const { app, upstream } = appWithUpstream({ env: { STRIPE_WEBHOOK_SECRET: STRIPE_SECRET } });
  let matrix: RouteMatrix;
  const judged: string[] = [];

  beforeAll(async () => {
    upstream().answerJson({});
    matrix = await RouteMatrix.on(app().url, new Tenants(app()));
    const enter = (): Promise<never> => Promise.reject(new WeirError('overloaded', { retryAfterSeconds: 1 }));
    Object.assign(app().weir.app.get(Overload, { strict: false }), { enter });
    const watched = (name: string) => (): Promise<never> => {
      judged.push(name);
      return Promise.reject(new Error('nothing is judged here'));
    };
    const judging = app().weir.app.get(JudgementService, { strict: false });
    for (const name of ['judge', 'guard']) Object.assign(judging, { [name]: watched(name) });
    // A short note of a person is masked in any case: that takes no longer than the rest of its request.
    const maskTexts = judging.maskTexts.bind(judging);
    const watchedMask: typeof maskTexts = (policy, segments, ...rest) =>
      segments.every(({ text }) => text.length <= LONGEST_NOTE)
        ? maskTexts(policy, segments, ...rest)
        : watched('maskTexts')();
    Object.assign(judging, { maskTexts: watchedMask });
  }, 120_000);

  it.each(Object.keys(EXPECTED))(
    '%s is refused before any judgement if the route judges calls, and works otherwise',
    async (route) => {
      judged.length = 0;
      const answers = await matrix.askRightly(route);
      expect(answers.length).toBeGreaterThan(0);
      expect(judged).toEqual([]);
      for (const { status, text } of answers) {
        expect([route, status]).toEqual([route, isJudging(route) ? 503 : EXPECTED[route]!.ok]);
        if (isJudging(route)) expect(text).toContain('overloaded');
      }
    },
  );
});
