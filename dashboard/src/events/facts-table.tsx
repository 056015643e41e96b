import { useState, type ReactNode } from 'react';
import type { CallEvent } from '../api/types.ts';
import { Empty } from '../parts/block.tsx';
import { Foreign } from '../parts/text.tsx';

interface Row {
  readonly stage: string;
  readonly name: string;
  readonly value: string;
}

/** What the rules could read: never a text, only what is known of it. */
export function FactsTable({ event }: { readonly event: CallEvent }): ReactNode {
  const [text, setText] = useState('');
  const all = rowsOf(event.facts);
  const rows = all.filter(({ name, value }) => `${name} ${value}`.toLowerCase().includes(text.toLowerCase()));
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
        <thead>
          <tr>
            <th scope="col">Fact</th>
            <th scope="col">Value</th>
            <th scope="col">Stage</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ stage, name, value }) => (
            <tr key={`${stage}${name}`}>
              <td className="mono">{name}</td>
              <td className="mono">
                <Foreign text={value} />
              </td>
              <td className="dim">{stage}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function rowsOf(facts: CallEvent['facts']): readonly Row[] {
  const stages = facts?.['stages'];
  if (!Array.isArray(stages)) return [];
  return (stages as readonly { readonly stage?: string; readonly facts?: unknown }[]).flatMap(
    ({ stage = '', facts: found }) => flatten(found, '', stage),
  );
}

function flatten(value: unknown, name: string, stage: string): readonly Row[] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.entries(value).flatMap(([key, inner]) => flatten(inner, name === '' ? key : `${name}.${key}`, stage));
  }
  return [{ stage, name, value: value === undefined ? 'unknown' : JSON.stringify(value) }];
}
