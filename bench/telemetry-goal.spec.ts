import { missedGoal } from './telemetry-goal.js';

describe('The goal of OpenTelemetry', () => {
  it('is met if the median is at most 3 % higher', () => {
    expect(missedGoal({ ratio: 1.03, low: 1.01, high: 1.05, pairs: 60 })).toBeUndefined();
    expect(missedGoal({ ratio: 0.99, low: 0.9, high: 1.2, pairs: 60 })).toBeUndefined();
  });

  it('is missed if the median is higher, however wide the confidence interval is', () => {
    expect(missedGoal({ ratio: 1.04, low: 0.9, high: 1.3, pairs: 60 })).toBe(
      'the median of the ratios is 1.040, at most 1.03',
    );
  });

  it('is missed without a comparison', () => {
    expect(missedGoal(undefined)).toBe('there were too few rounds to tell');
  });
});
