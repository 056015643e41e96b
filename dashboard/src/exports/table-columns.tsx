/** Which columns a file of CSV or Parquet has. */
import type { ReactNode } from 'react';
import type { Schemas } from '../api/client.ts';

export type TableColumn = NonNullable<Schemas['NewExport']['columns']>[number];

/** All there are, in the order of the file: the service's own list, held to by its type. */
const ALL = Object.keys({
  ...{ id: 0, received_at: 0, type: 0, event_id: 0, app_id: 0, app_name: 0, key_id: 0, environment: 0 },
  ...{
    declared_environment: 0,
    source: 0,
    request_id: 0,
    parent_id: 0,
    session_id: 0,
    provider: 0,
    model: 0,
  },
  ...{ decision: 0, reason: 0, rules: 0, prompt_tokens: 0, completion_tokens: 0, cost_nano_usd: 0 },
  ...{ latency_total_ms: 0, latency_provider_ms: 0, latency_weir_ms: 0, policy_id: 0, policy_version: 0 },
  ...{ upstream_status: 0, trace_id: 0, metadata: 0, violations: 0, redactions: 0, payload: 0 },
} satisfies Record<TableColumn, 0>) as TableColumn[];

/** Null: all of them, also those that a later version adds. */
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
          All but what people wrote
        </button>
      </div>
      <ul aria-label="Columns">
        {ALL.map((name) => (
          <li key={name}>
            <label className="line tight">
              <input
                type="checkbox"
                checked={isChosen(name)}
                // A file without columns would be none.
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
