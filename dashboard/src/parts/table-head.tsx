import type { ReactNode } from 'react';

/** A column's title; a `hidden` one is only for screen readers. */
export type Column = string | { readonly label: string; readonly className?: 'num' | 'ago'; readonly hidden?: true };

/** The head of a table: a row with the titles of its columns. */
export function TableHead({ columns }: { readonly columns: readonly Column[] }): ReactNode {
  return (
    <thead>
      <tr>
        {columns.map((column) => {
          const { label, className, hidden } = typeof column === 'string' ? { label: column } : column;
          return (
            <th key={label} scope="col" className={className}>
              {hidden === true ? <span className="sr">{label}</span> : label}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}
