import { stackFrames } from './stack-frames.js';

describe('The stack of an unexpected error', () => {
  const PROMPT = 'Unexpected token\n   at the bank they said\n    at noon (or later)\nthe end';

  it.each([
    ['a message of several lines', () => new TypeError(PROMPT)],
    ['a name that was changed', () => Object.assign(new Error(PROMPT), { name: 'Other' })],
    ['a message that was changed', () => Object.assign(new Error(PROMPT), { message: 'short' })],
    ['no message', () => new Error()],
  ])('is printed without its message: %s', (_, make) => {
    const frames = stackFrames(make());
    expect(frames.length).toBeGreaterThan(1);
    expect(frames[0]).toMatch(/^ {4}at .*stack-frames\.spec\.ts.*:\d+:\d+\)?$/);
    expect(frames.join('\n')).not.toMatch(/bank|noon|the end/);
  });

  it('is empty for a value that is no error', () => {
    expect([stackFrames(PROMPT), stackFrames(undefined), stackFrames({ stack: PROMPT })]).toEqual([[], [], []]);
  });
});
