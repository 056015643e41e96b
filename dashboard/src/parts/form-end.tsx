/**
 * The end of every form: errors of the whole form, the submit button, and a way to cancel. Dangerous forms require typing a name first.
 */
import type { ReactNode } from 'react';
import type { Sending } from './form.ts';
import { Field } from './small.tsx';

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

/** What is wrong as a whole with something that was sent. */
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
  /** What has to be typed before a button can be pressed. */
  readonly name: string;
  readonly value: string;
  readonly change: (typed: string) => void;
  /** It is the first field of its dialog. */
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
