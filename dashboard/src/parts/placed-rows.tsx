import type { VirtualItem } from '@tanstack/react-virtual';
import type { ReactNode } from 'react';

/**
 * The visible rows of a long list, at their positions. Styles are set by script, because the content security policy refuses style
 * attributes.
 */
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
