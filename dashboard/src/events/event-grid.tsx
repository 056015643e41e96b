/** The rows of the list, of which only visible ones are rendered; one row can be selected by keyboard or pointer. */
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import {
  lazy,
  memo,
  Suspense,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { count } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { PlacedRows } from '../parts/placed-rows.tsx';
import { useZone } from '../parts/zone.ts';
import { idInPath } from '../shell/id-in-path.ts';
import { isCovered, isTyping, singleKeysOn } from '../shell/keys.ts';
import { useDensity } from '../shell/look.ts';
import { gridOf, type Column } from './columns.tsx';
import { GridHead } from './grid-head.tsx';
import { useColumns } from './stored-columns.ts';
import { rememberList, searchOfCall } from './neighbours.ts';
import type { Selection } from './selection.tsx';
import type { ListedEvent } from './use-events.ts';

interface GridProps {
  readonly rows: readonly ListedEvent[];
  /** Ids of the events that arrived live. */
  readonly fresh: ReadonlySet<string>;
  /** The rows belong to the filters selected before. */
  readonly isStale: boolean;
  /** The list is loaded again. */
  readonly isBusy: boolean;
  readonly hasMore: boolean;
  readonly more: () => void;
  readonly showEnvironment: boolean;
  readonly selection: Selection;
  /** Called when the user leaves the top of the list or returns to it. */
  readonly scrolled: (isScrolled: boolean) => void;
}

const ROW_PX: Readonly<Record<string, number>> = { compact: 28, regular: 32, comfortable: 40 };
const NARROW_ROW_PX = 56;
const Peek = lazy(() => import('./peek.tsx'));

const narrow = window.matchMedia('(max-width: 720px)');

export function EventGrid(props: GridProps): ReactNode {
  const { rows, fresh, isStale, isBusy, hasMore, more, showEnvironment, selection, scrolled } = props;
  const box = useRef<HTMLDivElement>(null);
  const [at, setAt] = useRowOfLeftCall(rows);
  const [isPeeking, setPeeking] = useState(false);
  const { picked, pick, pickTo, clear } = selection;
  const rowPx = useRowPx();
  const columns = useColumns();
  useColumnWidths(box, columns);
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
  const open = useOpenCall(rows);
  const move = (step: number): void => {
    const next = Math.min(Math.max(0, at + step), rows.length - 1);
    setAt(next);
    virtual.scrollToIndex(next);
  };
  const press = (event: KeyboardEvent): void => {
    if (isTyping(event.target) || event.metaKey || event.ctrlKey) return;
    const isLetter = event.key.length === 1;
    if (isLetter && !singleKeysOn()) return;
    const step = stepOf(event.key, rows.length);
    if (step !== undefined) {
      event.preventDefault();
      move(step);
    } else if (event.key === 'Enter') open(Math.max(0, at));
    else if (event.key === ' ') {
      event.preventDefault();
      if (at < 0) setAt(0);
      setPeeking((before) => !before);
    } else if (event.key === 'x') {
      setAt(Math.max(0, at));
      pick(Math.max(0, at));
    } else if (event.key === 'Escape' && (isPeeking || picked.size > 0)) {
      event.preventDefault();
      if (isPeeking) setPeeking(false);
      else clear();
    }
  };
  const point = useCallback(
    (index: number, press: Press): void => {
      if (press !== 'select') return open(index, press === 'new tab');
      setAt(index);
      pickTo(index);
    },
    [open, pickTo],
  );
  useFocusByKey(box);
  const isDrawn = items.some(({ index }) => index === at);
  return (
    <div className={`grid-frame${isBusy ? ' busy' : ''}${hasMore ? ' has-more' : ''}`}>
      <Newer {...unseen} />
      <div
        ref={box}
        className={`grid${isStale ? ' stale' : ''}`}
        role="grid"
        aria-label="Events"
        aria-multiselectable
        aria-rowcount={hasMore ? -1 : rows.length + 1}
        aria-colcount={columns.length}
        tabIndex={0}
        aria-activedescendant={isDrawn ? `row-${at}` : undefined}
        onKeyDown={press}
      >
        <GridHead columns={columns} />
        <PlacedRows
          heightPx={virtual.getTotalSize()}
          items={items}
          count={rows.length}
          row={(index) => (
            <Row
              row={rows[index]!}
              index={index}
              isAt={index === at}
              isPicked={picked.has(rows[index]!.id)}
              isFresh={fresh.has(rows[index]!.id)}
              columns={columns}
              showEnvironment={showEnvironment}
              point={point}
            />
          )}
        />
      </div>
      {isPeeking && rows[at] !== undefined && (
        <Suspense fallback={null}>
          <Peek
            row={rows[at]}
            open={() => open(at)}
            close={() => {
              setPeeking(false);
              box.current?.focus();
            }}
          />
        </Suspense>
      )}
    </div>
  );
}

/** The row that keys act on: at first that of the call from whose page a person returns to the list, otherwise none. */
function useRowOfLeftCall(rows: GridProps['rows']) {
  const { state } = useRouter();
  return useState(() => {
    // For the router, the page before is the resolved one until the list is rendered.
    const path = state.resolvedLocation?.pathname ?? '';
    const left = path.startsWith('/events/') ? idInPath(path) : undefined;
    return left === undefined ? -1 : rows.findIndex(({ id, event_id: own }) => id === left || own === left);
  });
}

/** Whether an element that has the focus is the page as a whole, and none of its controls. */
const isOnPage = (focused: Element | null): boolean => focused === document.body || focused?.id === 'main';

/** Leads the view and the keys to the row at which the list was left. */
function useReturn(
  box: RefObject<HTMLDivElement | null>,
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

/** Returns a function that opens the call of a row, in this tab or in a new one. It is the same function for other rows. */
function useOpenCall(rows: GridProps['rows']): (index: number, isInNewTab?: boolean) => void {
  const navigate = useNavigate();
  const router = useRouter();
  // A ref, so that the function stays the same and unchanged rows are not rendered again while scrolling.
  const listed = useRef(rows);
  listed.current = rows;
  return useCallback(
    (index: number, isInNewTab = false): void => {
      const row = listed.current[index];
      if (row === undefined) return;
      const target = { to: '/events/$id', params: { id: row.id }, search: searchOfCall(row.app.id) as never } as const;
      if (isInNewTab) {
        window.open(router.buildLocation(target).href, '_blank', 'noopener');
        return;
      }
      rememberList(listed.current.map(({ id, app }) => ({ id, app: app.id })));
      void navigate(target);
    },
    [navigate, router],
  );
}

/** What a press of the pointer on a row asks for; a row is no link, so the browser does not open it in a new tab itself. */
type Press = 'open' | 'select' | 'new tab';

const pressOf = ({ shiftKey, metaKey, ctrlKey }: MouseEvent): Press =>
  metaKey || ctrlKey ? 'new tab' : shiftKey ? 'select' : 'open';

/** The number of the middle button of a mouse, as browsers report it. */
const MIDDLE_BUTTON = 1;

function useMoreAtEnd(isNear: boolean, more: () => void): void {
  useEffect(() => {
    if (isNear) more();
  }, [isNear, more]);
}

function useRowPx(): number {
  const density = useDensity();
  return narrow.matches ? NARROW_ROW_PX : (ROW_PX[density] ?? 32);
}

/** New rows above the visible ones do not move them: they are counted until the user scrolls to the top. */
function useRowsAbove(
  box: RefObject<HTMLDivElement | null>,
  rows: readonly ListedEvent[],
  rowPx: number,
  setAt: (change: (at: number) => number) => void,
): { readonly above: number; readonly show: () => void } {
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

function useScrolled(
  box: RefObject<HTMLDivElement | null>,
  rowPx: number,
  scrolled: (isScrolled: boolean) => void,
): void {
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

function Newer({ above, show }: ReturnType<typeof useRowsAbove>): ReactNode {
  if (above === 0) return null;
  return (
    <button type="button" className="button newer" onClick={show}>
      {count(above)} new {above === 1 ? 'event' : 'events'}
      <Icon name="up" />
    </button>
  );
}

/** The number of rows by which a key moves the current row; negative is up. */
function stepOf(key: string, rows: number): number | undefined {
  return { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -rows, End: rows }[key];
}

function useColumnWidths(box: RefObject<HTMLDivElement | null>, columns: readonly Column[]): void {
  useLayoutEffect(() => {
    const { template, minPx } = gridOf(columns);
    box.current?.style.setProperty('--columns', template);
    box.current?.style.setProperty('--columns-min', `${minPx}px`);
  }, [box, columns]);
}

/** `j` and `k` focus the list, unless the user is typing. */
function useFocusByKey(box: RefObject<HTMLDivElement | null>): void {
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

interface RowProps {
  readonly row: ListedEvent;
  readonly index: number;
  readonly isAt: boolean;
  readonly isPicked: boolean;
  readonly isFresh: boolean;
  readonly columns: readonly Column[];
  readonly showEnvironment: boolean;
  readonly point: (index: number, press: Press) => void;
}

const Row = memo(
  function Row({ row, index, isAt, isPicked, isFresh, columns, showEnvironment, point }: RowProps): ReactNode {
    // The list is rendered again in another time zone, but an unchanged row is not.
    useZone();
    const hasEnvironment = columns.some(({ id }) => id === 'environment');
    return (
      <div
        id={`row-${index}`}
        role="row"
        aria-rowindex={index + 2}
        aria-selected={isPicked}
        className={`grid-row${isAt ? ' at' : ''}${isFresh ? ' fresh' : ''}`}
        onMouseDown={(event) => {
          // Shift-click selects rows, not their text, and the middle button opens a row instead of scrolling.
          if (event.shiftKey || event.button === MIDDLE_BUTTON) event.preventDefault();
        }}
        onClick={(event) => point(index, pressOf(event))}
        onAuxClick={(event) => {
          if (event.button === MIDDLE_BUTTON) point(index, 'new tab');
        }}
      >
        {columns.map(({ id, className, title, cell }) => (
          <span key={id} role="gridcell" className={className} title={title?.(row)}>
            {cell(row, showEnvironment && !hasEnvironment)}
          </span>
        ))}
      </div>
    );
  },
  (before, after) =>
    before.row === after.row &&
    before.isAt === after.isAt &&
    before.isPicked === after.isPicked &&
    before.index === after.index &&
    before.isFresh === after.isFresh &&
    before.columns === after.columns &&
    before.showEnvironment === after.showEnvironment &&
    before.point === after.point,
);
