import { markingOf, pressed } from './marking.ts';

describe('A mark on a decision', () => {
  it('is set by the first press', () => {
    expect(pressed(null, 'right')).toEqual({ mark: 'right' });
  });

  it('stays as it is when the same key is pressed again, because it may be a mark of a colleague', () => {
    expect(pressed({ mark: 'right', note: 'seen with Ada' }, 'right')).toBeUndefined();
  });

  it('keeps its note when it changes', () => {
    expect(pressed({ mark: 'right', note: 'seen with Ada' }, 'wrong')).toEqual({
      mark: 'wrong',
      note: 'seen with Ada',
    });
    expect(pressed({ mark: 'missed' }, 'wrong')).toEqual({ mark: 'wrong' });
  });

  it('is restored with its note, and without an empty one', () => {
    expect(markingOf({ mark: 'wrong', note: 'a test number' })).toEqual({ mark: 'wrong', note: 'a test number' });
    expect(markingOf({ mark: 'wrong', note: null })).toEqual({ mark: 'wrong' });
    expect(markingOf({ mark: 'wrong', note: '' })).toEqual({ mark: 'wrong' });
    expect(markingOf(null)).toBeNull();
  });
});
