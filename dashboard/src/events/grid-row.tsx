/** One row of the list of events. While the list scrolls, rows that did not change are not rendered again. */
import { memo, type MouseEvent, type ReactNode } from 'react';
import { useZone } from '../parts/zone.ts';
import type { Column } from './columns.tsx';
import type { ListedEvent } from './use-events.ts';

/** The action that a press of the pointer on a row asks for; a row is no link, so the browser does not open it in a new tab itself. */
export type Press = 'open' | 'select' | 'new tab';

const pressOf = ({ shiftKey, metaKey, ctrlKey }: MouseEvent): Press =>
  metaKey || ctrlKey ? 'new tab' : shiftKey ? 'select' : 'open';

/** The number of the middle button of a mouse, as browsers report it. */
const MIDDLE_BUTTON = 1;

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

export const GridRow = memo(
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
