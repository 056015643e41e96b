import '../parts/stored-zone-for-tests.ts';
import { stateWords } from './state-words.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const trial = (endsAt: string, over = false): Parameters<typeof stateWords>[0] => ({
  state: 'trialing',
  trial: { started_at: '2026-11-20T12:00:00Z', ends_at: endsAt, events_used: 1, events_included: 100, over },
  period_ends_at: null,
  changed_at: '2026-11-20T12:00:00Z',
});

describe('The state of a trial', () => {
  it.each([
    ['2026-12-03T12:00:00Z', 'Trial, 3 days left'],
    ['2026-12-01T12:00:00Z', 'Trial, 1 day left'],
    ['2026-11-30T13:00:00Z', 'Trial, 1 day left'],
    ['2026-11-30T11:00:00Z', 'Trial, 0 days left'],
  ])('names the days that are left, of which the last is one: until %s', (endsAt, words) => {
    expect(stateWords(trial(endsAt), NOW)).toBe(words);
  });

  it('is over if its days or its events are used up', () => {
    expect(stateWords(trial('2026-12-03T12:00:00Z', true), NOW)).toBe('The trial is over');
  });
});
