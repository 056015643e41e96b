/** Scrolling of the list of events: which rows are rendered, rows that arrive above the visible ones, and the next page at the end. */
import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import {
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type Dispatch,
  type RefObject,
  type SetStateAction,
} from 'react';
import { useMoreAtEnd } from '../parts/placed-rows.tsx';
import { useDensity } from '../shell/look.ts';
import type { ListedEvent } from './use-events.ts';

const ROW_PX: Readonly<Record<string, number>> = { compact: 28, regular: 32, comfortable: 40 };
const NARROW_ROW_PX = 56;

const narrow = window.matchMedia('(max-width: 720px)');

type Box = RefObject<HTMLDivElement | null>;

interface ScrolledRows {
  readonly rows: readonly ListedEvent[];
  readonly hasMore: boolean;
  /** Loads the next page. */
  readonly more: () => void;
  /** Called when the user leaves the top of the list or returns to it. */
  readonly scrolled: (isScrolled: boolean) => void;
  /** The row that keys act on; -1: none. */
  readonly at: number;
  readonly setAt: Dispatch<SetStateAction<number>>;
}

interface GridScroll {
  /** The height of all rows. */
  readonly heightPx: number;
  /** The rows that are rendered. */
  readonly items: readonly VirtualItem[];
  readonly scrollTo: (index: number) => void;
  readonly unseen: RowsAbove;
}

/** The rendered rows of the list in `box`, which scrolls. */
export function useGridScroll(box: Box, { rows, hasMore, more, scrolled, at, setAt }: ScrolledRows): GridScroll {
  const rowPx = useRowPx();
  useScrolled(box, rowPx, scrolled);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowPx,
    overscan: 12,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const unseen = useRowsAbove(box, rows, rowPx, setAt);
  useReturn(box, at, virtual);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useMoreAtEnd(hasMore && last >= rows.length - 30, more);
  useEffect(() => virtual.measure(), [rowPx, virtual]);
  return { heightPx: virtual.getTotalSize(), items, scrollTo: (index) => virtual.scrollToIndex(index), unseen };
}

function useRowPx(): number {
  const density = useDensity();
  return narrow.matches ? NARROW_ROW_PX : (ROW_PX[density] ?? 32);
}

function useScrolled(box: Box, rowPx: number, scrolled: (isScrolled: boolean) => void): void {
  useEffect(() => {
    const grid = box.current;
    const scroll = (): void => scrolled((grid?.scrollTop ?? 0) >= rowPx);
    grid?.addEventListener('scroll', scroll, { passive: true });
    return () => {
      grid?.removeEventListener('scroll', scroll);
      scrolled(false);
    };
  }, [box, rowPx, scrolled]);
}

export interface RowsAbove {
  /** The number of new rows above the visible ones. */
  readonly above: number;
  /** Scrolls to these rows. */
  readonly show: () => void;
}

/** New rows above the visible ones do not move them: they are counted until the user scrolls to the top. */
function useRowsAbove(
  box: Box,
  rows: readonly ListedEvent[],
  rowPx: number,
  setAt: (change: (at: number) => number) => void,
): RowsAbove {
  const [above, setAbove] = useState(0);
  const first = useRef(rows[0]?.id);
  useLayoutEffect(() => {
    const added = rows.findIndex(({ id }) => id === first.current);
    first.current = rows[0]?.id;
    if (added < 0) setAbove(0);
    if (added <= 0) return;
    setAt((at) => (at < 0 ? at : at + added));
    const grid = box.current;
    if (grid === null || grid.scrollTop < rowPx) return;
    grid.scrollTop += added * rowPx;
    setAbove((before) => before + added);
  }, [box, rows, rowPx, setAt]);
  useEffect(() => {
    const grid = box.current;
    const scroll = (): void => {
      if (grid !== null && grid.scrollTop < rowPx) setAbove(0);
    };
    grid?.addEventListener('scroll', scroll, { passive: true });
    return () => grid?.removeEventListener('scroll', scroll);
  }, [box, rowPx]);
  return { above, show: () => box.current?.scrollTo({ top: 0 }) };
}

/** Whether an element that has the focus is the page as a whole, and none of its controls. */
const isOnPage = (focused: Element | null): boolean => focused === document.body || focused?.id === 'main';

/** Leads the view and the keys to the row at which the list was left. */
function useReturn(
  box: Box,
  at: number,
  virtual: { readonly scrollToIndex: (index: number, how: { readonly align: 'center' }) => void },
): void {
  const first = useRef(at);
  useEffect(() => {
    if (first.current < 0) return;
    virtual.scrollToIndex(first.current, { align: 'center' });
    if (isOnPage(document.activeElement)) box.current?.focus({ preventScroll: true });
  }, [box, virtual]);
}
