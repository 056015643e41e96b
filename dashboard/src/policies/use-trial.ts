/** Sends the input to be judged by a policy, on request or a moment after typing stops. */
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import { send } from '../api/client.ts';
import type { Environment } from '../api/types.ts';
import { bodyOf, isEmpty, wrongLine, type Evaluated, type Judge, type Trial } from './playground-call.ts';

export interface AskedTrial {
  readonly env: Environment;
  readonly trial: Trial;
  readonly judge: Judge;
}

export interface Judged {
  readonly judge: Judge;
  readonly run: UseMutationResult<Evaluated, Error, AskedTrial>;
  readonly again: () => void;
}

const PAUSE_MS = 400;

/** @param more additional fields of the request body */
export function askFor({ env, trial, judge }: AskedTrial, more: object = {}): Promise<Evaluated> {
  return send<Evaluated>('POST', `/v1/policies/${env}/evaluate`, { ...bodyOf(trial, judge), ...more });
}

export const isReady = (trial: Trial): boolean => !isEmpty(trial) && wrongLine(trial.metadata) === undefined;

/** @param judge null: no request is sent */
export function useTrial(env: Environment, trial: Trial, judge: Judge | null): Judged {
  const run = useMutation({ mutationFn: (asked: AskedTrial) => askFor(asked) });
  const { mutate, reset } = run;
  useEffect(() => {
    if (judge === null) reset();
    if (judge === null || !isReady(trial)) return undefined;
    const timer = window.setTimeout(() => mutate({ env, trial, judge }), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [env, trial, judge, mutate, reset]);
  const again = (): void => {
    if (judge !== null && isReady(trial)) mutate({ env, trial, judge });
  };
  return { judge: judge ?? 'force', run, again };
}
