/** The selection of columns for a CSV or Parquet file. */
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.ts';
import { COLUMN_NAMES } from './column-names.ts';

export type TableColumn = NonNullable<Schemas['NewExport']['columns']>[number];

/** All available columns. */
const ALL: readonly TableColumn[] = COLUMN_NAMES;

/** Null: all columns, including those that a later version adds. */
export type ChosenColumns = readonly TableColumn[] | null;

interface PickerProps {
  readonly chosen: ChosenColumns;
  readonly change: (chosen: ChosenColumns) => void;
}

export function TableColumns({ chosen, change }: PickerProps): ReactNode {
  const isChosen = (name: TableColumn): boolean => chosen === null || chosen.includes(name);
  const toggle = (name: TableColumn, on: boolean): void => {
    const next = ALL.filter((each) => (each === name ? on : isChosen(each)));
    change(next.length === ALL.length ? null : next);
  };
  return (
    <details className="table-columns">
      <summary>Columns: {chosen === null ? 'all' : `${chosen.length} of ${ALL.length}`}</summary>
      <div className="line">
        <button type="button" className="button" disabled={chosen === null} onClick={() => change(null)}>
          All
        </button>
        <button
          type="button"
          className="button"
          onClick={() => change(ALL.filter((name) => name !== 'payload' && name !== 'metadata'))}
        >
          All except texts written by people
        </button>
      </div>
      <ul aria-label="Columns">
        {ALL.map((name) => (
          <li key={name}>
            <label className="line tight">
              <input
                type="checkbox"
                checked={isChosen(name)}
                // The last chosen column cannot be removed.
                disabled={chosen?.length === 1 && isChosen(name)}
                onChange={({ target }) => toggle(name, target.checked)}
              />
              <span className="mono">{name}</span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  );
}
