/** Reactivates an earlier deployment: shows the changes, asks for a reason and, for production, for the name of the environment. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent, type ReactNode } from 'react';
import { ApiError, get, send } from '../api/client.ts';
import type { ActivePolicy, Deployment, Environment } from '../api/types.ts';
import Dialog from '../parts/dialog.tsx';
import { FormEnd, TypedName } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { counted } from '../parts/format.ts';
import { Field } from '../parts/small.tsx';
import { RuleChanges } from './rule-changes.tsx';

interface RollbackProps {
  readonly env: Environment;
  readonly active: ActivePolicy;
  readonly target: Deployment;
  readonly close: () => void;
}

const MIN_REASON = 10;
const POLL_MS = 1_000;
const POLLS = 60;
/** The names of the cached queries about the active policy; the second part of their keys is the environment. */
const OF_POLICY = ['policy', 'deployments', 'bundle', 'rules', 'rule-stats', 'exceptions', 'diff'];

export function RollbackDialog({ env, active, target, close }: RollbackProps): ReactNode {
  const { seen, isStale, seeAgain, done, sending, rollBack } = useRollback(env, active, target);
  const [because, setBecause] = useState('');
  const [typed, setTyped] = useState('');
  const isReady = because.trim().length >= MIN_REASON && (env !== 'production' || typed === env);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    rollBack(because);
  };
  return (
    <Dialog title={`Roll back to ${target.number}`} close={close} size={600} keep={sending.isSending}>
      {done !== null ? (
        <Progress env={env} number={done} close={close} />
      ) : (
        <form className="stack" onSubmit={submit}>
          {seen.deployment !== null && <RuleChanges env={env} from={seen.deployment.number} to={target.number} />}
          <p>
            Deployment {target.number} comes into force again in {env}, as a new deployment. The history is kept.
          </p>
          <Field label={`Reason, at least ${MIN_REASON} characters`}>
            <textarea
              className="input"
              rows={2}
              maxLength={500}
              data-autofocus
              value={because}
              onChange={(event) => setBecause(event.target.value)}
            />
          </Field>
          {env === 'production' && <TypedName name={env} value={typed} change={setTyped} />}
          <FormEnd
            sending={sending}
            label={`Roll back to ${target.number}`}
            isReady={isReady && !isStale}
            close={close}
          >
            {isStale && (
              <p className="problem line" role="alert">
                Somebody deployed {active.deployment === null ? '' : `#${active.deployment.number} `}meanwhile.
                <button type="button" className="button" onClick={seeAgain}>
                  See what changed
                </button>
              </p>
            )}
          </FormEnd>
        </form>
      )}
    </Dialog>
  );
}

/** The request that activates the deployment again. */
function useRollback(env: Environment, active: ActivePolicy, target: Deployment) {
  // The deployment that was shown: a newer one by somebody else must not be undone unseen.
  const [seen, setSeen] = useState(active);
  const [done, setDone] = useState<number | null>(null);
  const [isStale, setStale] = useState(false);
  const sending = useSending();
  const client = useQueryClient();
  const rollBack = (because: string): void =>
    sending.run(async () => {
      try {
        const made = await send<{ readonly deployment: Deployment }>('POST', `/v1/policies/${env}/rollback`, {
          to: target.number,
          base: seen.base,
          because,
        });
        setDone(made.deployment.number);
        for (const key of OF_POLICY) void client.invalidateQueries({ queryKey: [key, env] });
      } catch (error) {
        if (error instanceof ApiError && error.status === 409) {
          setStale(true);
          void client.invalidateQueries({ queryKey: ['policy', env] });
        } else throw error;
      }
    });
  const seeAgain = (): void => {
    setSeen(active);
    setStale(false);
  };
  return { seen, isStale, seeAgain, done, sending, rollBack };
}

function Progress({
  env,
  number,
  close,
}: {
  readonly env: Environment;
  readonly number: number;
  readonly close: () => void;
}): ReactNode {
  const [state, setState] = useState<{ readonly running: number; readonly of: number } | null>(null);
  useEffect(() => {
    let left = POLLS;
    const timer = window.setInterval(() => {
      left -= 1;
      if (left === 0) window.clearInterval(timer);
      get<ActivePolicy>(`/v1/policies/${env}`, {}, { background: true })
        .then(({ replicas }) => {
          const alive = replicas.filter((replica) => replica.state !== 'lost');
          const running = alive.filter((replica) => replica.state === 'active' && replica.deployment === number).length;
          setState({ running, of: alive.length });
          if (running === alive.length) window.clearInterval(timer);
        })
        .catch(() => undefined);
    }, POLL_MS);
    return () => window.clearInterval(timer);
  }, [env, number]);
  return (
    <div className="stack">
      <p role="status">
        Deployment {number} is in force
        {state === null
          ? '.'
          : `: ${state.running} of ${counted(state.of, 'replica')} ${state.running === 1 ? 'runs' : 'run'} it.`}
      </p>
      <div className="line">
        <button type="button" className="button primary" onClick={close}>
          Close
        </button>
      </div>
    </div>
  );
}
