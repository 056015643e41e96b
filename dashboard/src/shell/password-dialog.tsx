/**
 * If the session has ended, or the password was entered too long ago, the dialog asks for the password; then the request is repeated.
 * Text that the user has typed on the page is not lost.
 */
import { lazy, Suspense, useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { ApiError, enter, setHelper } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import { signInPath } from '../parts/sign-in.ts';
import { Field } from '../parts/small.tsx';
import { leaveInAllTabs } from './signing-out.ts';

const Dialog = lazy(() => import('../parts/dialog.tsx'));

interface Asked {
  readonly trouble: 'signed_out' | 'password';
  readonly done: (ok: boolean) => void;
}

interface Signed {
  readonly person: { readonly id: string };
}

export function PasswordDialog(): ReactNode {
  const [asked, setAsked] = useState<Asked | null>(null);
  const waiting = useRef<Promise<boolean> | null>(null);
  const me = useMe().data;
  const known = useRef(me);
  known.current = me;
  useEffect(() => {
    setHelper((trouble) => {
      // If the person is not verified or not known, the sign-in pages are needed instead of this dialog.
      if (trouble === 'not_verified') {
        location.assign('/auth/account');
        return new Promise(() => undefined);
      }
      if (known.current?.person === undefined || known.current.person === null) {
        location.assign(signInPath());
        return new Promise(() => undefined);
      }
      waiting.current ??= new Promise<boolean>((resolve) => {
        setAsked({
          trouble,
          done: (ok) => {
            waiting.current = null;
            setAsked(null);
            resolve(ok);
          },
        });
      });
      return waiting.current;
    });
  }, []);
  if (asked === null) return null;
  const email = me?.person?.email ?? '';
  const finish = async (password: string): Promise<void> => {
    if (asked.trouble === 'signed_out' || !(await enteredAgain(password))) {
      const signed = await enter<Signed>('/auth/login', { email, password });
      if (signed.person.id !== me?.person?.id) {
        // The request of the person before is not repeated in the name of this one.
        leaveInAllTabs('/');
        return;
      }
    }
    asked.done(true);
  };
  return (
    <Suspense fallback={null}>
      <PasswordForm email={email} trouble={asked.trouble} finish={finish} close={() => asked.done(false)} />
    </Suspense>
  );
}

/** @returns false if the session has ended in the meantime, so that a sign-in is needed */
async function enteredAgain(password: string): Promise<boolean> {
  try {
    await enter('/auth/reauthenticate', { password });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return false;
    throw error;
  }
}

interface FormProps {
  readonly email: string;
  readonly trouble: Asked['trouble'];
  readonly finish: (password: string) => Promise<void>;
  readonly close: () => void;
}

function PasswordForm({ email, trouble, finish, close }: FormProps): ReactNode {
  const [password, setPassword] = useState('');
  const [problem, setProblem] = useState<string>();
  const isSending = useRef(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // A second press before the answer would start a second session, or count as a second wrong password.
    if (isSending.current) return;
    isSending.current = true;
    setProblem(undefined);
    finish(password)
      .catch((error: unknown) => {
        setPassword('');
        setProblem(error instanceof ApiError && error.status !== 401 ? error.message : 'The password is wrong.');
      })
      .finally(() => {
        isSending.current = false;
      });
  };
  return (
    <Dialog
      title={trouble === 'password' ? 'Enter your password again' : 'You were signed out'}
      close={close}
      size={380}
      keep
    >
      <form className="stack" onSubmit={submit}>
        <p>
          {trouble === 'password'
            ? 'This change stays in effect after your session, so you must have entered your password within the last ten minutes.'
            : 'Your session has ended. Enter your password to continue; your work is not lost.'}
        </p>
        <input hidden readOnly autoComplete="username" value={email} />
        <Field label={`Password of ${email}`} problem={problem}>
          <input
            className="input"
            type="password"
            autoComplete="current-password"
            required
            data-autofocus
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
        <div className="line">
          <button type="submit" className="button primary">
            Continue
          </button>
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <a className="link push" href="/auth/reset">
            Forgot your password?
          </a>
        </div>
      </form>
    </Dialog>
  );
}
