/** Creating and deleting keys and tokens works alike: a secret is shown once, and the name is shown before a deletion. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useState, type FormEvent, type ReactNode } from 'react';
import { send } from '../api/client.ts';
import Dialog from './dialog.tsx';
import { FormEnd, TypedName } from './form-end.tsx';
import { useSending, type Sending } from './form.ts';
import { Secret } from './secret.tsx';
import { Field } from './small.tsx';
import { visible } from './text.tsx';

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

/** A form that creates a credential and then shows its secret: without copying, closing needs a second click. */
export function MakeSecret(props: MakeSecretProps): ReactNode {
  const { kind, title, madeTitle = title, label, isReady = true, make, close, children, beside } = props;
  const [secret, setSecret] = useState<string | null>(null);
  const sending = useSending();
  const client = useQueryClient();
  const create = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      const made = await send<{ readonly secret: string }>('POST', make.path, make.body());
      setSecret(made.secret);
      void client.invalidateQueries({ queryKey: [kind.queryKey] });
    });
  };
  return (
    <Dialog title={secret === null ? title : madeTitle} close={close} keep={secret !== null}>
      {secret !== null ? (
        <>
          {beside}
          <ShowSecret secret={secret} kind={kind} close={close} />
        </>
      ) : (
        <form className="stack" onSubmit={create}>
          {children(sending.problemOf)}
          <FormEnd sending={sending} label={label} isReady={isReady} close={close} />
        </form>
      )}
    </Dialog>
  );
}

interface ShowSecretProps {
  readonly secret: string;
  readonly kind: Kind;
  readonly close: () => void;
}

function ShowSecret({ secret, kind: { word, variable }, close }: ShowSecretProps): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const forget = useCallback(() => close(), [close]);
  return (
    <div className="stack">
      <Secret
        secret={secret}
        label={`The new ${word}`}
        variable={variable}
        copied={() => setCopied(true)}
        forget={forget}
      />
      {isAsking && (
        <p className="problem" role="alert">
          You have not copied the {word}. Close again to discard it.
        </p>
      )}
      <div className="line">
        <button type="button" className="button" onClick={() => (isCopied || isAsking ? close() : setAsking(true))}>
          Close
        </button>
      </div>
    </div>
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
        <FormEnd sending={sending} label={`Delete ${kind.word}`} kind="danger" isReady={typed === name} close={close} />
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
