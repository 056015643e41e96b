/** A dialog over the page; on a small screen it is a sheet at the bottom. Loaded when the first one opens. */
import { Modal } from '@mantine/core';
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Modal.css';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { SheetHandle } from './sheet-handle.tsx';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly size?: number;
  /** Neither a click outside, nor Escape, nor dragging closes the dialog, because its content would be lost. */
  readonly keep?: boolean;
  readonly children: ReactNode;
}

/** Fields of forms that a person types into; choices are made again with a click. */
const TYPED = 'form :is(textarea, input:not([type=checkbox], [type=radio]))';

export default function Dialog({ title, close, size = 480, keep = false, children }: DialogProps): ReactNode {
  const [hasTyped, setTyped] = useState(false);
  useFocusBack();
  useEscape(close, keep);
  return (
    <Modal.Root
      opened
      onClose={close}
      size={size}
      // A click outside may be a mistake, and would lose the text of a form.
      closeOnClickOutside={!keep && !hasTyped}
      closeOnEscape={false}
      returnFocus={false}
      classNames={{
        inner: 'dialog-inner',
        content: 'dialog',
        header: 'dialog-head',
        title: 'dialog-title',
        close: 'dialog-close',
      }}
    >
      <Modal.Overlay />
      <Modal.Content>
        {/* The element has no role, because it is the header of the dialog, not of the page. */}
        <Modal.Header role="none">
          <SheetHandle
            close={() => {
              if (!keep && !hasTyped) close();
            }}
          />
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </Modal.Header>
        <Modal.Body
          onInput={({ target }) => {
            if (target instanceof Element && target.matches(TYPED)) setTyped(true);
          }}
        >
          {children}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

/** The open dialogs; the last one is above the others. */
const open: object[] = [];

/** Escape closes only the uppermost dialog. The component library would close every open dialog, also those below it. */
function useEscape(close: () => void, keep: boolean): void {
  const current = useRef({ close, keep });
  current.current = { close, keep };
  useEffect(() => {
    const own = {};
    open.push(own);
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.isComposing || open.at(-1) !== own || current.current.keep) return;
      // A menu inside the dialog closes first.
      const isOfMenu = (event.target as Element | null)?.getAttribute?.('data-mantine-stop-propagation') === 'true';
      if (isOfMenu) return;
      event.preventDefault();
      current.current.close();
    };
    window.addEventListener('keydown', press, true);
    return () => {
      window.removeEventListener('keydown', press, true);
      open.splice(open.indexOf(own), 1);
    };
  }, []);
}

/**
 * Returns the focus to the element that had it before the dialog, so that keyboard users keep their place. The component library does so
 * only for a dialog that stays mounted while it is closed; here a closed dialog does not exist.
 */
function useFocusBack(): void {
  const opener = useRef(document.activeElement);
  useEffect(() => {
    const { current } = opener;
    return () => {
      // The focus was already moved on purpose.
      if (document.activeElement !== null && document.activeElement !== document.body) return;
      const hadFocus = current instanceof HTMLElement && current !== document.body;
      if (hadFocus) current.focus({ preventScroll: true });
      if (document.activeElement !== document.body) return;
      // The element is gone or disabled: the focus goes to the dialog below, or to the page.
      const below = [...document.querySelectorAll<HTMLElement>('[role=dialog]')].at(-1);
      const next = below ?? (hadFocus ? document.getElementById('main') : null);
      next?.focus({ preventScroll: true });
    };
  }, []);
}
