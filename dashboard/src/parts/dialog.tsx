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
  /** Something would be lost: a click beside it closes nothing. */
  readonly keep?: boolean;
  readonly children: ReactNode;
}

export default function Dialog({ title, close, size = 480, keep = false, children }: DialogProps): ReactNode {
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size={size}
      closeOnClickOutside={!keep}
      closeOnEscape={!keep}
      classNames={{ content: 'dialog', title: 'dialog-title' }}
    >
      {children}
    </Modal>
  );
}
