/** Creating and deleting keys and tokens works alike: a secret is shown once, and the name is shown before a deletion. */
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent, type ReactNode } from 'react';
import { send } from '../api/client.ts';
import Dialog from './dialog.tsx';
import { FormEnd, TypedName } from './form-end.tsx';
import { useSending, type Sending } from './form.ts';
import { AskBeforeLeaving, Secret } from './secret.tsx';
import { Field } from './small.tsx';
import { isTypedName, visible } from './visible.ts';

/** The name of a kind of credential, and the environment variable in which programs expect it. */
export interface Kind {
  readonly word: 'key' | 'token';
  readonly variable: string;
  /** The key of the query that lists them. */
  readonly queryKey: string;
}

interface MakeSecretProps {
  readonly kind: Kind;
  readonly title: string;
  /** The title after the credential was created. */
  readonly madeTitle?: string;
  /** The text of the submit button. */
  readonly label: string;
  readonly isReady?: boolean;
  readonly make: { readonly path: string; readonly body: () => object };
  readonly close: () => void;
  /** The fields of the form. */
  readonly children: (problemOf: Sending['problemOf']) => ReactNode;
  /** Shown above the secret. */
  readonly beside?: ReactNode;
}

/**
 * A form that creates a credential and then shows its secret. While a secret could be lost, neither Escape nor a click outside closes the
 * dialog, and each of its buttons asks once.
 */
export function MakeSecret(props: MakeSecretProps): ReactNode {
  const { kind, title, madeTitle = title, label, isReady = true, make, close, children, beside } = props;
  const [secret, setSecret] = useState<string | null>(null);
  const [isStored, setStored] = useState(false);
  const sending = useSending();
  const client = useQueryClient();
  const isAtRisk = sending.isSending || (secret !== null && !isStored);
  const { isAsking, leave, askAgain } = useLeaving(isAtRisk, close);
  const create = (event: FormEvent): void => {
    event.preventDefault();
    askAgain();
    sending.run(async () => {
      const made = await send<{ readonly secret: string }>('POST', make.path, make.body());
      setSecret(made.secret);
      askAgain();
      void client.invalidateQueries({ queryKey: [kind.queryKey] });
    });
  };
  return (
    <>
      <Dialog title={secret === null ? title : madeTitle} close={leave} keep={secret !== null || sending.isSending}>
        {secret !== null ? (
          <div className="stack">
            {beside}
            <Secret
              secret={secret}
              label={`The new ${kind.word}`}
              variable={kind.variable}
              stored={setStored}
              forget={close}
            />
            {isAsking && <Asking>You have not copied the {kind.word}. Close again to discard it.</Asking>}
            <div className="line">
              <button type="button" className="button" onClick={leave}>
                Close
              </button>
            </div>
          </div>
        ) : (
          <form className="stack" onSubmit={create}>
            {children(sending.problemOf)}
            <FormEnd sending={sending} label={label} isReady={isReady} close={leave}>
              {isAsking && (
                <Asking>
                  The {kind.word} is being created, and its secret is shown only once. Close again to discard it.
                </Asking>
              )}
            </FormEnd>
          </form>
        )}
      </Dialog>
      <AskBeforeLeaving word={kind.word} isAtRisk={isAtRisk} />
    </>
  );
}

interface Leaving {
  readonly isAsking: boolean;
  /** Closes the dialog; the first time only asks, if a secret would be lost. */
  readonly leave: () => void;
  readonly askAgain: () => void;
}

function useLeaving(isAtRisk: boolean, close: () => void): Leaving {
  const [hasAsked, setAsked] = useState(false);
  const isAsking = isAtRisk && hasAsked;
  return {
    isAsking,
    leave: () => (isAtRisk && !hasAsked ? setAsked(true) : close()),
    askAgain: () => setAsked(false),
  };
}

function Asking({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <p className="problem" role="alert">
      {children}
    </p>
  );
}

interface DeleteCredentialProps {
  readonly kind: Kind;
  readonly name: string;
  readonly path: string;
  readonly close: () => void;
  /** The effect of the deletion on programs. */
  readonly children: ReactNode;
}

/** Deletes a credential after its name was typed. */
export function DeleteCredential({ kind, name, path, close, children }: DeleteCredentialProps): ReactNode {
  const [typed, setTyped] = useState('');
  const sending = useSending();
  const client = useQueryClient();
  const remove = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      await send('DELETE', path);
      await client.invalidateQueries({ queryKey: [kind.queryKey] });
      close();
    });
  };
  return (
    <Dialog title={`Delete ${visible(name)}`} close={close}>
      <form className="stack" onSubmit={remove}>
        <p>{children}</p>
        <TypedName name={visible(name)} value={typed} change={setTyped} first />
        <FormEnd
          sending={sending}
          label={`Delete ${kind.word}`}
          kind="danger"
          isReady={isTypedName(typed, name)}
          close={close}
        />
      </form>
    </Dialog>
  );
}

interface NameFieldProps {
  readonly value: string;
  readonly change: (name: string) => void;
  readonly problem: string | undefined;
}

export function NameField({ value, change, problem }: NameFieldProps): ReactNode {
  return (
    <Field label="Name" problem={problem}>
      <input
        className="input"
        required
        maxLength={100}
        data-autofocus
        value={value}
        onChange={(event) => change(event.target.value)}
      />
    </Field>
  );
}
