import '../parts/stored-zone-for-tests.ts';
import { turnWords } from './turn-words.ts';

const counted = (count: number, capped = false) => ({ count, capped });

describe('The position of a call in its session', () => {
  it('is known if both counts are complete', () => {
    expect(turnWords(counted(3), counted(12))).toBe('3 of 12');
  });

  it('is unknown if the count of the calls before it ended early, or has not found the call', () => {
    expect(turnWords(counted(3, true), counted(12))).toBeUndefined();
    expect(turnWords(counted(0), counted(12))).toBeUndefined();
  });

  it('is that of a session with more calls if the count of all calls ended early', () => {
    expect(turnWords(counted(3), counted(12, true))).toBe('3 of 12 or more');
    expect(turnWords(counted(30), counted(12, true))).toBe('30 of 30 or more');
  });

  it('is that of a complete session, however many calls it has', () => {
    expect(turnWords(counted(3), counted(10_000))).toBe('3 of 10,000');
  });
});
