import type { VirtualItem } from '@tanstack/react-virtual';
import { useEffect, useState, type ReactNode } from 'react';
import { flushSync } from 'react-dom';

interface PlacedRowsProps {
  readonly heightPx: number;
  readonly items: readonly VirtualItem[];
  /** The number of all rows. */
  readonly count: number;
  readonly row: (index: number) => ReactNode;
}

/**
 * The visible rows of a long list, at their positions; on paper all of them, one below the other. Styles are set by script, because the
 * content security policy refuses style attributes.
 */
export function PlacedRows({ heightPx, items, count, row }: PlacedRowsProps): ReactNode {
  const isPrinting = useIsPrinting();
  return (
    <div
      role="presentation"
      className="grid-body"
      ref={(element) => element?.style.setProperty('height', `${heightPx}px`)}
    >
      {isPrinting
        ? Array.from({ length: count }, (_, index) => (
            <div key={`row ${index}`} role="presentation" className="grid-place">
              {row(index)}
            </div>
          ))
        : items.map(({ key, index, start, size }) => (
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

/** Loads the next page of a long list when the end of the loaded rows is near. */
export function useMoreAtEnd(isNear: boolean, more: () => void): void {
  useEffect(() => {
    if (isNear) more();
  }, [isNear, more]);
}

/** Whether the page is being printed: paper does not scroll. */
function useIsPrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // The browser measures the page as soon as the event is handled.
    const begin = (): void => flushSync(() => setPrinting(true));
    const end = (): void => setPrinting(false);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}
