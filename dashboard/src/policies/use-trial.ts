/** Sends the input to be judged by a policy, on request or a moment after typing stops. */
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { send } from '../api/client.ts';
import type { Environment } from '../api/types.ts';
import { useZone } from '../parts/zone.ts';
import {
  bodyOf,
  isReady,
  isSameTrial,
  type AskedTrial,
  type Evaluated,
  type Judge,
  type Trial,
} from './playground-call.ts';

export interface Judged {
  readonly judge: Judge;
  readonly run: UseMutationResult<Evaluated, Error, AskedTrial>;
  /** The result is about an input, a policy or a time zone that was changed since. */
  readonly isOutdated: boolean;
  readonly again: () => void;
}

const PAUSE_MS = 400;

/** @param more additional fields of the request body */
export function askFor({ env, trial, judge }: AskedTrial, more: object = {}): Promise<Evaluated> {
  return send<Evaluated>('POST', `/v1/policies/${env}/evaluate`, { ...bodyOf(trial, judge), ...more });
}

/** @param judge null: no request is sent */
export function useTrial(env: Environment, trial: Trial, judge: Judge | null): Judged {
  const run = useMutation({ mutationFn: (asked: AskedTrial) => askFor(asked) });
  const { mutate, reset } = run;
  // A typed time is a moment only together with the zone.
  const shownZone = useZone();
  const zone = trial.at === '' ? null : shownZone;
  const asked = useMemo(
    () => (judge === null || !isReady(trial) ? null : { env, trial, judge, zone }),
    [env, trial, judge, zone],
  );
  useEffect(() => {
    if (asked === null) {
      reset();
      return undefined;
    }
    const timer = window.setTimeout(() => mutate(asked), PAUSE_MS);
    return () => window.clearTimeout(timer);
  }, [asked, mutate, reset]);
  const again = (): void => {
    if (asked !== null) mutate(asked);
  };
  const isOutdated = run.variables !== undefined && !isSameTrial(run.variables, asked);
  return { judge: judge ?? 'force', run, isOutdated, again };
}
