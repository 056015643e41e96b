import { markingOf, noteAfter, pressed, shownMark, withMark } from './marking.ts';

type Stored = NonNullable<Parameters<typeof shownMark>[0]>;
const stored = (mark: Stored['mark'], minute: number, rule = 'pii.mask'): Stored =>
  ({ rule, mark, note: null, at: `2026-11-01T10:0${minute}:00.000Z` }) as Stored;

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

describe('The shown mark', () => {
  const wanted = { mark: 'wrong' } as const;

  it('is the one that was asked for, until the request is answered', () => {
    expect(shownMark(null, { mark: wanted, over: null, isPending: true })).toEqual(wanted);
    expect(shownMark(stored('right', 1), { mark: wanted, over: null, isPending: true })).toEqual(wanted);
    expect(shownMark(stored('right', 1), { mark: null, over: stored('right', 1), isPending: true })).toBeNull();
  });

  it('is the answer until the event is loaded with it', () => {
    const own = { mark: stored('wrong', 2), over: stored('right', 1), isPending: false };
    expect(shownMark(stored('right', 1), own)).toEqual(stored('wrong', 2));
    expect(shownMark(stored('wrong', 2), own)).toEqual(stored('wrong', 2));
  });

  it('is the one that a colleague, or an earlier visit of the page, stored meanwhile', () => {
    expect(shownMark(stored('right', 3), null)).toEqual(stored('right', 3));
    const own = { mark: stored('wrong', 2), over: null, isPending: false };
    expect(shownMark(stored('right', 3), own)).toEqual(stored('right', 3));
  });

  it('is in the loaded event as soon as it is stored, and gone from it when it is removed', () => {
    const event = { marks: [stored('right', 1), stored('right', 1, 'secrets.block')] };
    expect(withMark({}, 'pii.mask', stored('right', 1))).toEqual({ marks: [stored('right', 1)] });
    expect(withMark(event, 'pii.mask', stored('wrong', 2)).marks).toEqual([
      ...[stored('right', 1, 'secrets.block'), stored('wrong', 2)],
    ]);
    expect(withMark(event, 'pii.mask', null).marks).toEqual([stored('right', 1, 'secrets.block')]);
  });
});

describe('A typed note', () => {
  it('is replaced by the stored note once it is stored, because the service may have masked it', () => {
    expect(noteAfter('mail of Ada ', { mark: 'wrong', note: 'mail of Ada' })).toBeNull();
    expect(noteAfter('', { mark: 'wrong' })).toBeNull();
  });

  it('is kept if a mark was stored without it', () => {
    expect(noteAfter('mail of Ada', { mark: 'right', note: 'seen' })).toBe('mail of Ada');
    expect(noteAfter('mail of Ada', null)).toBe('mail of Ada');
  });
});
