import { seededRandom } from '../test/support/seeded-random.js';
import { APPS, MODELS, RARE_WORD, RULES, TEAMS, WORDS } from './search-templates.js';

/** One search of the dashboard: the query of `GET /v1/events`. */
export interface Asked {
  readonly kind: string;
  readonly query: Readonly<Record<string, string>>;
}

const DAY_MS = 86_400_000;

/** The given number of searches of all kinds: for common and rare values, with and without results. */
export function askedOf(seed: number, count: number, months: number, now: Date): Asked[] {
  const random = seededRandom(seed);
  const one = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const some = (items: readonly Record<string, string>[]): Record<string, string> => one(items);
  const user = (): string => String(Math.floor(5000 * random() ** 3));
  const range = (): Record<string, string> => {
    const from = now.getTime() - random() * months * 30 * DAY_MS;
    const days = one([1, 7, 30, 90]);
    return { from: new Date(from).toISOString(), to: new Date(from + days * DAY_MS).toISOString() };
  };
  const kinds: Readonly<Record<string, () => Record<string, string>>> = {
    'nothing asked': () => ({}),
    'one common': () =>
      some([
        { app: APPS[0] },
        { model: MODELS[0] },
        { environment: 'production' },
        { outcome: 'allowed' },
        { type: 'ai.response' },
        { 'metadata.team': TEAMS[0] },
      ]),
    'one rare': () =>
      some([
        { app: APPS[7] },
        { model: MODELS[5] },
        { outcome: one(['blocked', 'error', 'flagged', 'redacted']) },
        { decision: 'block' },
        { rule: one(RULES) },
        { 'metadata.user.id': user() },
        { session: `s-${Math.floor(random() * 1000)}` },
        { request_id: `req-${Math.floor(random() * 10_000)}` },
      ]),
    'common ones that never meet': () =>
      some([
        { model: MODELS[0], provider: 'anthropic' },
        { type: 'policy.violation', min_cost_usd: '0.0001' },
        { type: 'ai.request', outcome: 'error' },
        { decision: 'allow', rule: one(RULES), outcome: 'allowed' },
        { 'metadata.team': TEAMS[0], 'metadata.feature': 'f41' },
        { app: APPS[0], 'not.app': APPS[0] },
      ]),
    'nothing matches': () =>
      some([
        { app: 'nobody' },
        { model: 'no-such-model' },
        { rule: 'no.such-rule' },
        { 'metadata.user.id': 'nobody' },
        { 'metadata.nothing': '1' },
        { session: 'nobody' },
        { outcome: 'unavailable' },
        { min_cost_usd: '500' },
        { min_weir_ms: '60000' },
        { key: 'nobody' },
      ]),
    'several together': () => ({
      ...some([{}, { app: one(APPS) }, { app: `${one(APPS)},${one(APPS)}` }, { 'not.app': APPS[0] }]),
      ...some([{}, { model: one(MODELS) }, { environment: one(['staging', 'development']) }]),
      ...some([{}, { outcome: one(['redacted', 'blocked', 'error']) }, { rule: one(RULES) }]),
      ...some([{}, { 'metadata.team': one(TEAMS) }, { 'metadata.user.id': user() }, { min_weir_ms: '5' }]),
    }),
    'in a range': () => ({
      ...range(),
      ...some([{}, { app: one(APPS) }, { rule: one(RULES) }, { 'metadata.user.id': user() }, { q: one(WORDS) }]),
    }),
    'a common text': () => ({ q: one(WORDS), ...some([{}, { app: one(APPS) }]) }),
    'a rare text': () => ({
      q: one([RARE_WORD, 'number 4321', 'nowhere to be found', 'Ünknöwn']),
      ...some([{}, { app: one(APPS) }, { outcome: 'blocked' }, { 'metadata.team': one(TEAMS) }]),
    }),
    'oldest first': () => ({
      order: 'asc',
      ...some([{ model: one(MODELS) }, { 'metadata.user.id': user() }, { q: RARE_WORD }, { rule: 'no.such-rule' }]),
    }),
  };
  const names = Object.keys(kinds);
  return Array.from({ length: count }, (_, index) => {
    const kind = names[index % names.length]!;
    const view = random() < 0.6 ? { view: 'calls', fields: 'summary' } : some([{ fields: 'summary' }, {}]);
    return { kind, query: { ...kinds[kind]!(), ...view, limit: one(['50', '200']) } };
  });
}
