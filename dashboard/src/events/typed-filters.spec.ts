import { typedFilters } from './typed-filters.ts';

const APPS = [
  { id: 'a-1', name: 'checkout' },
  { id: 'a-2', name: 'support' },
  { id: 'a-3', name: 'back office' },
];
const SECRET = `sk_live_wr1_${'a1B2'.repeat(12)}xy`;

const changeBy = (text: string, search = {}) => typedFilters(text, APPS, search).change;

describe('A pasted secret', () => {
  it.each([SECRET, `why ${SECRET}?`, `key:${SECRET}`, SECRET.replace('sk_live', 'wt_live')])(
    'is not searched for: %s',
    (text) => {
      expect(typedFilters(text, APPS, {})).toEqual({
        change: {},
        problem: 'This looks like a secret. It was not sent.',
      });
    },
  );

  it('is not confused with the public part of a key', () => {
    expect(typedFilters('key:yTEz81Kd0aB2', APPS, {})).toEqual({ change: { key: 'yTEz81Kd0aB2' } });
  });
});

describe('A typed filter', () => {
  it('may name any key of metadata', () => {
    expect(changeBy('metadata.cost-center:42')).toEqual({ 'metadata.cost-center': '42' });
    expect(changeBy('-metadata.user.e-mail:x')).toEqual({ 'not.metadata.user.e-mail': 'x' });
    expect(changeBy('metadata.team=ads')).toEqual({ 'metadata.team': 'ads' });
    expect(changeBy('metadata.link:https://a.example/?b=c')).toEqual({ 'metadata.link': 'https://a.example/?b=c' });
  });

  it('may have several values, also quoted ones, and names of apps', () => {
    expect(changeBy('app:checkout,support')).toEqual({ app: 'a-1,a-2' });
    expect(changeBy('app:"back office",checkout')).toEqual({ app: 'a-3,a-1' });
    expect(changeBy('rule:a rule:b')).toEqual({ rule: 'a,b' });
  });

  it('is added to the values that the filter has', () => {
    expect(changeBy('rule:b', { rule: 'a' })).toEqual({ rule: 'a,b' });
    expect(changeBy('-model:m-2', { 'not.model': 'm-1', model: 'm-2' })).toEqual({
      'not.model': 'm-1,m-2',
      model: undefined,
    });
  });

  it('of words replaces the text searched before, because both together would be another text', () => {
    expect(changeBy('refund', { q: 'order 7', rule: 'a' })).toEqual({ q: 'refund' });
    expect(changeBy('rule:b', { q: 'order 7' })).not.toHaveProperty('q');
  });

  it('compares, and selects by a text', () => {
    expect(changeBy('cost>$0.05 weir>=10ms "exact words" session:s_9f')).toEqual({
      min_cost_usd: '0.05',
      min_weir_ms: '10',
      session: 's_9f',
      q: 'exact words',
    });
    expect(changeBy('see https://a.example')).toEqual({ q: 'see https://a.example' });
  });
});

describe('Typed filters that cannot be used', () => {
  it.each([
    ['outcome:foo', '“foo” is not one of allowed, flagged'],
    ['min_cost_usd:x', '“x” is not a number such as 0.05.'],
    ['cost>cheap', '“cost>cheap” needs a number after >.'],
    ['cost>', '“cost>” needs a number after >.'],
    ['app:checkout,nobody', 'There is no app with the name “nobody”.'],
    ['call:abc', '“abc” is not the id of an event.'],
    ['rule: pii', '“rule” needs a value.'],
    ['session:a session:b', '“session” accepts only one value.'],
    ['q:a b', '“q” accepts only one value.'],
    ['-mark:none', '“mark” cannot be negated with -.'],
  ])('change nothing, and say why: %s', (text, problem) => {
    const typed = typedFilters(`rule:a ${text}`, APPS, { rule: 'z' });
    expect(typed.change).toEqual({});
    expect(typed.problem).toContain(problem);
  });
});
