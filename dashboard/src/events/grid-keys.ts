/** The keys of the list of events: they move to a row, open it, show its preview and select it. */
import { useEffect, type Dispatch, type KeyboardEvent, type RefObject, type SetStateAction } from 'react';
import { isCovered, isTyping, singleKeysOn } from '../shell/keys.ts';
import type { Selection } from './selection.tsx';

interface KeyedGrid {
  /** The row that keys act on; -1: none. */
  readonly at: number;
  readonly setAt: (index: number) => void;
  /** The number of rows. */
  readonly count: number;
  readonly scrollTo: (index: number) => void;
  readonly open: (index: number) => void;
  /** Whether the preview of the row is open. */
  readonly isPeeking: boolean;
  readonly setPeeking: Dispatch<SetStateAction<boolean>>;
  readonly selection: Selection;
}

/** Does what a key that was pressed in the list stands for. */
export function pressKey(event: KeyboardEvent, grid: KeyedGrid): void {
  if (isTyping(event.target) || event.metaKey || event.ctrlKey) return;
  const isLetter = event.key.length === 1;
  if (isLetter && !singleKeysOn()) return;
  const { at, setAt, count, isPeeking, setPeeking, selection } = grid;
  const step = stepOf(event.key, count);
  if (step !== undefined) {
    event.preventDefault();
    const next = Math.min(Math.max(0, at + step), count - 1);
    setAt(next);
    grid.scrollTo(next);
  } else if (event.key === 'Enter') grid.open(Math.max(0, at));
  else if (event.key === ' ') {
    event.preventDefault();
    if (at < 0) setAt(0);
    setPeeking((before) => !before);
  } else if (event.key === 'x') {
    setAt(Math.max(0, at));
    selection.pick(Math.max(0, at));
  } else if (event.key === 'Escape' && (isPeeking || selection.picked.size > 0)) {
    event.preventDefault();
    if (isPeeking) setPeeking(false);
    else selection.clear();
  }
}

/** The number of rows by which a key moves the current row; negative is up. */
function stepOf(key: string, rows: number): number | undefined {
  return { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -rows, End: rows }[key];
}

/** `j` and `k` focus the list, unless the user is typing. */
export function useFocusByKey(box: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const focus = (event: globalThis.KeyboardEvent): void => {
      if (
        (event.key === 'j' || event.key === 'k') &&
        !isTyping(event.target) &&
        document.activeElement !== box.current &&
        !isCovered() &&
        singleKeysOn()
      )
        box.current?.focus();
    };
    window.addEventListener('keydown', focus);
    return () => window.removeEventListener('keydown', focus);
  }, [box]);
}
