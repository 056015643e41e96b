/** The headers of the columns; the borders between them can be dragged to change the width. */
import { useRef, type PointerEvent, type ReactNode } from 'react';
import { gridOf, type Column } from './columns.tsx';
import { setWidth } from './stored-columns.ts';

export function GridHead({ columns }: { readonly columns: readonly Column[] }): ReactNode {
  return (
    <div className="grid-row head" role="row" aria-rowindex={1}>
      {columns.map(({ id, label, isNumber }) => (
        <span key={id} role="columnheader" className={`cut${isNumber === true ? ' num' : ''}`}>
          <bdi>{label}</bdi>
          <Edge id={id} columns={columns} />
        </span>
      ))}
    </div>
  );
}

interface EdgeProps {
  readonly id: string;
  readonly columns: readonly Column[];
}

/** For pointers only: without dragging, widths are set in the column picker. */
function Edge({ id, columns }: EdgeProps): ReactNode {
  const drawn = useRef<{ readonly fromX: number; readonly px: number } | null>(null);
  const widthAt = ({ clientX }: PointerEvent): number => {
    const { fromX, px } = drawn.current!;
    return Math.max(0, px + clientX - fromX);
  };
  const take = (event: PointerEvent<HTMLElement>): void => {
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    drawn.current = { fromX: event.clientX, px: event.currentTarget.parentElement!.getBoundingClientRect().width };
  };
  const draw = (event: PointerEvent<HTMLElement>): void => {
    if (drawn.current === null) return;
    // The rows are rendered again on release; until then only CSS changes the widths.
    const { template, minPx } = gridOf(
      columns.map((column) => (column.id === id ? { ...column, px: widthAt(event), isSet: true } : column)),
    );
    const grid = event.currentTarget.closest<HTMLElement>('[role=grid]');
    grid?.style.setProperty('--columns', template);
    grid?.style.setProperty('--columns-min', `${minPx}px`);
  };
  const leave = (event: PointerEvent<HTMLElement>): void => {
    if (drawn.current === null) return;
    const { px } = drawn.current;
    const wanted = widthAt(event);
    drawn.current = null;
    if (wanted !== px) setWidth(id, wanted);
  };
  return (
    <span
      className="edge"
      aria-hidden="true"
      title="Drag to change the width; double-click to reset it"
      onPointerDown={take}
      onPointerMove={draw}
      onPointerUp={leave}
      onPointerCancel={leave}
      onDoubleClick={() => setWidth(id, undefined)}
    />
  );
}
