/** A dialog over the page. Loaded when the first one opens. */
import { Modal } from '@mantine/core';
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Modal.css';
import type { ReactNode } from 'react';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly size?: number;
  /** Neither a click outside nor Escape closes the dialog, because its content would be lost. */
  readonly keep?: boolean;
  readonly children: ReactNode;
}

export default function Dialog({ title, close, size = 480, keep = false, children }: DialogProps): ReactNode {
  return (
    <Modal.Root
      opened
      onClose={close}
      size={size}
      closeOnClickOutside={!keep}
      closeOnEscape={!keep}
      classNames={{ content: 'dialog', title: 'dialog-title' }}
    >
      <Modal.Overlay />
      <Modal.Content>
        {/* The element has no role, because it is the header of the dialog, not of the page. */}
        <Modal.Header role="none">
          <Modal.Title>{title}</Modal.Title>
          <Modal.CloseButton aria-label="Close" />
        </Modal.Header>
        <Modal.Body>{children}</Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}
