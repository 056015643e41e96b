/** The handle of a sheet, as a dialog on a small screen is called: dragging it down closes the sheet. */
import { useRef, type PointerEvent, type ReactNode } from 'react';

/** A drag of at least this distance, in CSS pixels, closes the sheet; after a shorter one the sheet returns to its place. */
const CLOSING_PX = 80;

/** Only for pointers: keyboards and screen readers use the Close button next to it. The style sheet hides it on wide screens. */
export function SheetHandle({ close }: { readonly close: () => void }): ReactNode {
  const startY = useRef<number | null>(null);
  const movedPx = (y: number): number => (startY.current === null ? 0 : Math.max(0, y - startY.current));
  const end = (handle: HTMLElement): void => {
    startY.current = null;
    place(handle, 0);
  };
  return (
    <div
      className="sheet-handle"
      aria-hidden="true"
      onPointerDown={({ currentTarget, pointerId, clientY }: PointerEvent<HTMLElement>) => {
        startY.current = clientY;
        currentTarget.setPointerCapture(pointerId);
      }}
      onPointerMove={({ currentTarget, clientY }) => {
        if (startY.current !== null) place(currentTarget, movedPx(clientY));
      }}
      onPointerUp={({ currentTarget, clientY }) => {
        const isFar = movedPx(clientY) >= CLOSING_PX;
        end(currentTarget);
        if (isFar) close();
      }}
      onPointerCancel={({ currentTarget }) => end(currentTarget)}
    />
  );
}

/** Moves the sheet down from its place. */
function place(handle: HTMLElement, downPx: number): void {
  const sheet = handle.closest<HTMLElement>('.dialog');
  sheet?.style.setProperty('translate', downPx === 0 ? '' : `0 ${downPx}px`);
}
