/**
 * The end of every form: errors of the whole form, the submit button, and a way to cancel. Dangerous forms require typing a name first.
 */
import type { ReactNode } from 'react';
import type { Sending } from './form.ts';
import { Field } from './small.tsx';

interface FormEndProps {
  readonly sending: Pick<Sending, 'isSending' | 'problem'>;
  /** The text of the submit button. */
  readonly label: string;
  readonly kind?: 'primary' | 'danger' | 'plain';
  readonly isReady?: boolean;
  /** Closes the dialog of the form; absent if the form is part of the page. */
  readonly close?: () => void;
  /** The text of the button that closes. */
  readonly away?: string;
  /** Shown between the problem and the buttons. */
  readonly children?: ReactNode;
}

const CLASSES = { primary: 'button primary', danger: 'button danger', plain: 'button' } as const;

/** The problem of a request that does not belong to a single field. */
export function Problem({ of }: { readonly of: Pick<Sending, 'problem'> }): ReactNode {
  return of.problem === undefined ? null : (
    <p className="problem" role="alert">
      {of.problem}
    </p>
  );
}

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
      <Problem of={sending} />
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

interface TypedNameProps {
  /** The name that must be typed to enable the button. */
  readonly name: string;
  readonly value: string;
  readonly change: (typed: string) => void;
  /** Whether this is the first field of the dialog, which gets the focus. */
  readonly first?: boolean;
}

export function TypedName({ name, value, change, first }: TypedNameProps): ReactNode {
  return (
    <Field label={`Type ${name}`}>
      <input
        className="input"
        autoComplete="off"
        data-autofocus={first}
        value={value}
        onChange={(event) => change(event.target.value)}
      />
    </Field>
  );
}
