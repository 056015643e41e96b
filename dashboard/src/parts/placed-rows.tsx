import type { VirtualItem } from '@tanstack/react-virtual';
import type { ReactNode } from 'react';

/** Rows of a long list that are in sight, each where it belongs. Styles are set by script: the policy refuses attributes. */
export function PlacedRows(props: {
  readonly heightPx: number;
  readonly items: readonly VirtualItem[];
  readonly row: (index: number) => ReactNode;
}) {
  const { heightPx, items, row } = props;
  return (
    <div
      role="presentation"
      className="grid-body"
      ref={(element) => element?.style.setProperty('height', `${heightPx}px`)}
    >
      {items.map(({ key, index, start, size }) => (
        <div
          key={key}
          role="presentation"
          className="grid-place"
          ref={(element) => {
            element?.style.setProperty('transform', `translateY(${start}px)`);
            element?.style.setProperty('height', `${size}px`);
          }}
        >
          {row(index)}
        </div>
      ))}
    </div>
  );
}
