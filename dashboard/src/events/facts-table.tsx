import { useState, type ReactNode } from 'react';
import type { CallEvent } from '../api/types.ts';
import { Empty } from '../parts/block.tsx';
import { UserText } from '../parts/text.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { factRows } from './fact-rows.ts';

/** The facts that the rules could read: data about texts, never the texts. */
export function FactsTable({ event }: { readonly event: CallEvent }): ReactNode {
  const [text, setText] = useState('');
  const all = factRows(event);
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
              <td className="mono">
                <UserText text={name} />
              </td>
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
