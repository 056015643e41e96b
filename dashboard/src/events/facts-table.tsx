import { useState, type ReactNode } from 'react';
import type { CallEvent } from '../api/types.ts';
import { Empty } from '../parts/block.tsx';
import { UserText } from '../parts/text.tsx';
import { TableHead } from '../parts/table-head.tsx';

interface Row {
  readonly stage: string;
  readonly name: string;
  readonly value: string;
  /** The source of the fact; empty if it is from the call itself. */
  readonly from: string;
}

/** The facts that the rules could read: data about texts, never the texts. */
export function FactsTable({ event }: { readonly event: CallEvent }): ReactNode {
  const [text, setText] = useState('');
  const all = [...rowsOf(event), ...unknownOf(event)];
  const rows = all.filter(({ name, value, from }) =>
    `${name} ${value} ${from}`.toLowerCase().includes(text.toLowerCase()),
  );
  if (all.length === 0) return <Empty>No facts are stored with this event.</Empty>;
  return (
    <div className="stack">
      <input
        className="input"
        type="search"
        aria-label="Search facts"
        placeholder="Search facts"
        value={text}
        onChange={(event_) => setText(event_.target.value)}
      />
      <table className="table fold">
        <TableHead columns={['Fact', 'Value', 'From', 'Stage']} />
        <tbody>
          {rows.map(({ stage, name, value, from }) => (
            <tr key={`${stage}${name}`}>
              <td className="mono">{name}</td>
              <td className="mono">
                <UserText text={value} />
              </td>
              <td className="dim" data-label="from">
                <UserText text={from === '' ? 'the call' : from} />
              </td>
              <td className="dim">{stage}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function rowsOf({ facts, detectors }: CallEvent): readonly Row[] {
  const stages = facts?.['stages'];
  if (!Array.isArray(stages)) return [];
  const sources = new Map(detectors.map(({ key, version }) => [key, `${key} ${version}`]));
  return (stages as readonly { readonly stage?: string; readonly facts?: unknown }[]).flatMap(
    ({ stage = '', facts: found }) =>
      flatten(found, '').map(([name, value]) => ({ stage, name, value, from: sources.get(rootOf(name)) ?? '' })),
  );
}

/** The names of a detector's facts begin with its key. */
const rootOf = (name: string): string => name.split('.', 1)[0] ?? '';

const WHY: Readonly<Record<string, string>> = {
  failed: 'the detector failed',
  timeout: 'the detector timed out',
  not_run: 'the detector did not run',
};

/** Detectors without an answer: their facts are unknown. */
function unknownOf({ detectors }: CallEvent): readonly Row[] {
  return detectors.flatMap(({ key, version, status }) =>
    status === 'scanned'
      ? []
      : [{ stage: '', name: `${key}.*`, value: `unknown: ${WHY[status] ?? status}`, from: `${key} ${version}` }],
  );
}

function flatten(value: unknown, name: string): readonly (readonly [name: string, value: string])[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => flatten(inner, name === '' ? key : `${name}.${key}`));
  }
  return [[name, value === undefined ? 'unknown' : JSON.stringify(value)]];
}
