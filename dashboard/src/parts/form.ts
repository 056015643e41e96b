/** The shared state of forms: errors by field, and whether a request is running. */
import { useRef, useState } from 'react';
import { ApiError } from '../api/client.ts';

export interface Sending {
  readonly isSending: boolean;
  /** The problem that does not belong to a single field. */
  readonly problem: string | undefined;
  readonly problemOf: (path: string) => string | undefined;
  /** Does nothing while work runs: a form that is sent twice would create two things. */
  readonly run: (work: () => Promise<void>) => void;
}

export function useSending(): Sending {
  const [isSending, setSending] = useState(false);
  const isRunning = useRef(false);
  const [error, setError] = useState<unknown>(null);
  const details = error instanceof ApiError ? error.details : [];
  const message = error === null ? undefined : error instanceof ApiError ? error.message : 'The action failed.';
  return {
    isSending,
    problem:
      message === undefined
        ? undefined
        : `${message}${details.map(({ path, message: what }) => ` ${path} ${what}.`).join('')}`,
    problemOf: (path) => details.find((each) => each.path === path)?.message,
    run: (work) => {
      if (isRunning.current) return;
      isRunning.current = true;
      setSending(true);
      setError(null);
      work()
        .catch((failure: unknown) => setError(failure))
        .finally(() => {
          isRunning.current = false;
          setSending(false);
        });
    },
  };
}
