import { useState, type FormEvent, type ReactNode } from 'react';
import { send } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import { FormEnd, TypedName } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { Field, Id } from '../parts/small.tsx';
import { leaveInAllTabs } from '../shell/signing-out.ts';

export function Profile(): ReactNode {
  const me = useMe().data;
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [isSent, setSent] = useState(false);
  const sending = useSending();
  const change = (event: FormEvent): void => {
    event.preventDefault();
    setSent(false);
    sending.run(async () => {
      await send('POST', '/auth/email', { new_email: email, password });
      setPassword('');
      setSent(true);
    });
  };
  return (
    <div className="stack wide form">
      <dl className="facts-list">
        <dt>E-mail</dt>
        <dd>{me?.person?.email}</dd>
        <dt>Role</dt>
        <dd>{me?.role}</dd>
        <dt>Account</dt>
        <dd>{me === undefined ? '' : <Id id={me.account.id} head={36} />}</dd>
        <dt>Version</dt>
        <dd>{me?.server.version}</dd>
      </dl>
      <form className="stack" onSubmit={change}>
        <h2>Change the e-mail address</h2>
        <Field label="New e-mail address" problem={sending.problemOf('new_email')}>
          <input
            className="input"
            type="email"
            required
            autoComplete="off"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <PasswordField value={password} change={setPassword} problem={sending.problemOf('password')} />
        <FormEnd sending={sending} label="Send a confirmation link" kind="plain">
          {isSent && (
            <p role="status">
              A link was sent to the new address. The old address stays valid until the link is opened.
            </p>
          )}
        </FormEnd>
      </form>
    </div>
  );
}

interface PasswordFieldProps {
  readonly label?: string;
  readonly value: string;
  readonly change: (password: string) => void;
  readonly problem: string | undefined;
}

/** A field for the current password. */
function PasswordField({ label = 'Password', value, change, problem }: PasswordFieldProps): ReactNode {
  return (
    <Field label={label} problem={problem}>
      <input
        className="input"
        type="password"
        required
        autoComplete="current-password"
        value={value}
        onChange={(event) => change(event.target.value)}
      />
    </Field>
  );
}

const MIN_PASSWORD = 12;

export function Security(): ReactNode {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [isDone, setDone] = useState(false);
  const sending = useSending();
  const email = useMe().data?.person?.email ?? '';
  const change = (event: FormEvent): void => {
    event.preventDefault();
    setDone(false);
    sending.run(async () => {
      await send('POST', '/auth/password', { current_password: current, new_password: next });
      setCurrent('');
      setNext('');
      setDone(true);
    });
  };
  return (
    <form className="stack form" onSubmit={change}>
      <h2>Change the password</h2>
      <input hidden readOnly autoComplete="username" value={email} />
      <PasswordField
        label="Current password"
        value={current}
        change={setCurrent}
        problem={sending.problemOf('current_password')}
      />
      <Field
        label="New password"
        hint={`At least ${MIN_PASSWORD} characters; a sentence is fine.`}
        problem={sending.problemOf('new_password')}
      >
        <input
          className="input"
          type="password"
          required
          minLength={MIN_PASSWORD}
          autoComplete="new-password"
          value={next}
          onChange={(event) => setNext(event.target.value)}
        />
      </Field>
      <FormEnd sending={sending} label="Change password" kind="plain">
        {isDone && <p role="status">The password was changed. All other sessions were ended.</p>}
      </FormEnd>
    </form>
  );
}

export function Close(): ReactNode {
  const me = useMe().data;
  const [password, setPassword] = useState('');
  const [typed, setTyped] = useState('');
  const sending = useSending();
  const email = me?.account.email ?? '';
  const close = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      await send('POST', '/auth/close-account', { password });
      leaveInAllTabs('/auth/login');
    });
  };
  return (
    <form className="stack form" onSubmit={close}>
      <h2>Close the account</h2>
      <p>
        Its keys and management tokens stop working immediately; programs that use them are refused. The records are
        kept for the retention time of the operator. This cannot be undone.
      </p>
      <PasswordField value={password} change={setPassword} problem={sending.problemOf('password')} />
      <TypedName name={email} value={typed} change={setTyped} />
      <FormEnd sending={sending} label="Close the account" kind="danger" isReady={typed !== '' && typed === email} />
    </form>
  );
}
