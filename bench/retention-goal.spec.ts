import { missedGoals, type WorkBeside } from './retention-goal.js';

const MONTH = 4;

function work(change: Partial<WorkBeside>): WorkBeside {
  return { name: 'a week', goneMs: 100, p99Ms: { beside: 10, alone: 10 }, ...change };
}

describe('The goals of the retention', () => {
  it('are met by a month that is gone after two seconds, while events take as long as before', () => {
    const ratios = [8, 10, 12].map((beside) => work({ goneMs: 2_000, p99Ms: { beside, alone: 10 } }));
    expect(missedGoals(ratios, MONTH)).toEqual([]);
    expect(missedGoals([work({ goneMs: undefined })], MONTH)).toEqual([]);
  });

  it('are missed by a month that stays longer than two seconds, and by a week that stays longer than its quarter', () => {
    expect(missedGoals([work({ goneMs: 2_010 })], MONTH)).toEqual([
      'a week: gone from the log after 2.01 s, at most 2.00 s',
    ]);
    expect(missedGoals([work({ goneMs: 500 })], 1)).toEqual([]);
    expect(missedGoals([work({ goneMs: 600 })], 1)).toEqual(['a week: gone from the log after 0.60 s, at most 0.50 s']);
  });

  it.each([
    [12.5, '1.25'],
    [7, '0.70'],
  ])('are missed if the slowest events take %s ms instead of 10, and the line names the work', (beside, ratio) => {
    const works = [work({}), work({ name: 'texts', p99Ms: { beside, alone: 10 } })];
    expect(missedGoals(works, MONTH)).toEqual([
      `texts: p99 of stored events is ${ratio} times that without it, not 0.8 to 1.2`,
    ]);
  });

  it('are missed if no event was stored, so that nothing can be compared', () => {
    const nothing = work({ p99Ms: { beside: undefined, alone: 10 } });
    expect(missedGoals([nothing], MONTH)).toEqual(['a week: no event was stored, so nothing can be compared']);
  });
});
