/** How every form ends: what is wrong as a whole, the button that sends it, and a way out. */
import type { ReactNode } from 'react';
import type { Sending } from './form.ts';

interface FormEndProps {
  readonly sending: Pick<Sending, 'isSending' | 'problem'>;
  /** Of the button that sends it. */
  readonly label: string;
  readonly kind?: 'primary' | 'danger' | 'plain';
  readonly isReady?: boolean;
  /** Closes what the form stands in; absent where it stands in the page. */
  readonly close?: () => void;
  /** What closing is called. */
  readonly away?: string;
  /** What is said before the buttons beside a problem. */
  readonly children?: ReactNode;
}

const CLASSES = { primary: 'button primary', danger: 'button danger', plain: 'button' } as const;

export function FormEnd({
  sending,
  label,
  kind = 'primary',
  isReady = true,
  close,
  away = 'Cancel',
  children,
}: FormEndProps): ReactNode {
  return (
    <>
      {sending.problem !== undefined && (
        <p className="problem" role="alert">
          {sending.problem}
        </p>
      )}
      {children}
      <div className="line">
        <button type="submit" className={CLASSES[kind]} disabled={!isReady || sending.isSending}>
          {label}
        </button>
        {close !== undefined && (
          <button type="button" className="button" onClick={close}>
            {away}
          </button>
        )}
      </div>
    </>
  );
}
