/** Which columns the list has, and in which order: for this browser. */
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Icon } from '../parts/icons.tsx';
import { COLUMNS, setColumns, useColumns, type Column } from './columns.tsx';

const Dialog = lazy(() => import('../parts/dialog.tsx'));

export function ColumnPicker(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="button quiet columns-button" onClick={() => setOpen(true)}>
        Columns
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <Dialog title="Columns" close={() => setOpen(false)}>
            <Choices />
          </Dialog>
        </Suspense>
      )}
    </>
  );
}

/** The shown ones first, in their order; what is chosen is seen at once behind the dialog. */
function Choices(): ReactNode {
  const shown = useColumns();
  const hidden = COLUMNS.filter((column) => !shown.includes(column));
  const ids = shown.map(({ id }) => id);
  const toggle = ({ id }: Column): void =>
    setColumns(ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id]);
  const move = (from: number, to: number): void => {
    const moved = ids.filter((_, index) => index !== from);
    moved.splice(to, 0, ids[from]!);
    setColumns(moved);
  };
  return (
    <div className="stack">
      <ul className="column-list" aria-label="Columns, shown ones first">
        {[...shown, ...hidden].map((column) => {
          const index = shown.indexOf(column);
          return (
            <li key={column.id}>
              <label className="line tight">
                <input
                  type="checkbox"
                  checked={index >= 0}
                  disabled={index >= 0 && shown.length === 1}
                  onChange={() => toggle(column)}
                />
                {column.label}
              </label>
              {index >= 0 && (
                <span className="line tight push">
                  <Move column={column} way="up" isOff={index === 0} go={() => move(index, index - 1)} />
                  <Move
                    column={column}
                    way="down"
                    isOff={index === shown.length - 1}
                    go={() => move(index, index + 1)}
                  />
                </span>
              )}
            </li>
          );
        })}
      </ul>
      <div className="line">
        <button type="button" className="button" onClick={() => setColumns(null)}>
          As they were
        </button>
        <span className="hint">Kept in this browser.</span>
      </div>
    </div>
  );
}

interface MoveProps {
  readonly column: Column;
  readonly way: 'up' | 'down';
  readonly isOff: boolean;
  readonly go: () => void;
}

function Move({ column, way, isOff, go }: MoveProps): ReactNode {
  return (
    <button
      type="button"
      className="button quiet icon-only"
      aria-label={`Move ${column.label} ${way}`}
      aria-disabled={isOff}
      onClick={({ currentTarget: button }) => {
        if (isOff) return;
        go();
        // What is put elsewhere in the list loses the focus, and whoever presses again would press nothing.
        requestAnimationFrame(() => button.focus());
      }}
    >
      <Icon name={way} />
    </button>
  );
}
