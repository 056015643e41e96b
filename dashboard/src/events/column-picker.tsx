/** The selection, order and width of the list's columns, stored in this browser. */
import { lazy, Suspense, useState, type FormEvent, type ReactNode } from 'react';
import { Icon } from '../parts/icons.tsx';
import { COLUMNS, metadataColumn, type Column } from './columns.tsx';
import { setColumns, setWidth, useColumns } from './stored-columns.ts';

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

/** The shown columns first, in their order; changes are visible at once in the list behind the dialog. */
function Choices(): ReactNode {
  const shown = useColumns();
  const ids = shown.map(({ id }) => id);
  const hidden = COLUMNS.filter(({ id }) => !ids.includes(id));
  const toggle = ({ id }: Column): void =>
    setColumns(ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id]);
  const move = (from: number, to: number): void => {
    const moved = ids.filter((_, index) => index !== from);
    moved.splice(to, 0, ids[from]!);
    setColumns(moved);
  };
  return (
    <div className="stack">
      <ul className="column-list" aria-label="Columns, visible ones first">
        {[...shown, ...hidden].map((column) => {
          const index = ids.indexOf(column.id);
          return (
            <li key={column.id}>
              <label className="line tight">
                <input
                  type="checkbox"
                  checked={index >= 0}
                  disabled={index >= 0 && shown.length === 1}
                  onChange={() => toggle(column)}
                />
                <span className="cut">{column.label}</span>
              </label>
              {index >= 0 && (
                <span className="line tight push nowrap">
                  <Width column={column} />
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
      <MetadataColumn add={(key) => setColumns([...new Set([...ids, metadataColumn(key).id])])} />
      <div className="line">
        <button type="button" className="button" onClick={() => setColumns(null)}>
          Reset columns
        </button>
        <span className="hint">Stored in this browser.</span>
      </div>
    </div>
  );
}

function Width({ column: { id, label, px, isSet } }: { readonly column: Column }): ReactNode {
  return (
    <input
      className="input tiny"
      type="number"
      min={48}
      max={800}
      step={8}
      aria-label={`Width of ${label} in pixels; empty: automatic`}
      // Shows the meaning of an empty field.
      placeholder="auto"
      // Uncontrolled: the width is set on blur or Enter, so that a half-typed number has no effect.
      key={`${id} ${isSet === true ? px : ''}`}
      defaultValue={isSet === true ? px : ''}
      onBlur={({ target: { value } }) => setWidth(id, value === '' ? undefined : Number(value))}
      onKeyDown={(event) => {
        if (event.key === 'Enter') event.currentTarget.blur();
      }}
    />
  );
}

/** Metadata keys are chosen by callers, so a user has to type them. */
function MetadataColumn({ add }: { readonly add: (key: string) => void }): ReactNode {
  const [key, setKey] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (key.trim() === '') return;
    add(key.trim());
    setKey('');
  };
  return (
    <form className="line nowrap-box" onSubmit={submit}>
      <input
        className="input mono"
        aria-label="Metadata key, such as team"
        // There is no space for a visible label, so the field shows a hint.
        placeholder="Metadata key"
        maxLength={100}
        value={key}
        onChange={(event) => setKey(event.target.value)}
      />
      <button type="submit" className="button" disabled={key.trim() === ''}>
        Add column
      </button>
    </form>
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
        // A moved button loses the focus, and a second press would have no effect.
        requestAnimationFrame(() => button.focus());
      }}
    >
      <Icon name={way} />
    </button>
  );
}
