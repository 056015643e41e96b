/** The actions on a schedule of exports: pause, resume, delete. */
import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { send } from '../api/client.ts';
import Dialog from '../parts/dialog.tsx';
import { FormEnd } from '../parts/form-end.tsx';
import { useSending, type Sending } from '../parts/form.ts';
import { visible } from '../parts/text.tsx';
import type { Schedule } from './schedule-words.ts';

export const SCHEDULES_KEY = ['export-schedules'] as const;
export const schedulePath = (id: string): string => `/v1/export-schedules/${encodeURIComponent(id)}`;

export function usePausing(): Sending & { readonly pause: (schedule: Schedule, paused: boolean) => void } {
  const sending = useSending();
  const client = useQueryClient();
  const pause = (schedule: Schedule, paused: boolean): void =>
    sending.run(async () => {
      await send('PATCH', schedulePath(schedule.id), { paused });
      await client.invalidateQueries({ queryKey: SCHEDULES_KEY });
    });
  return { ...sending, pause };
}

interface PauseProps {
  readonly schedule: Schedule;
  readonly pausing: ReturnType<typeof usePausing>;
}

export function PauseButton({ schedule, pausing }: PauseProps): ReactNode {
  const word = schedule.paused ? 'Resume' : 'Pause';
  return (
    <button
      type="button"
      className="button"
      aria-label={`${word} ${visible(schedule.name)}`}
      disabled={pausing.isSending}
      onClick={() => pausing.pause(schedule, !schedule.paused)}
    >
      {word}
    </button>
  );
}

interface DeleteProps {
  readonly schedule: Schedule;
  readonly close: () => void;
  /** Called after the deletion, before `close`. */
  readonly deleted?: () => void;
}

export function DeleteSchedule({ schedule, close, deleted }: DeleteProps): ReactNode {
  const sending = useSending();
  const client = useQueryClient();
  const remove = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      await send('DELETE', schedulePath(schedule.id));
      deleted?.();
      close();
      // The page of the schedule may still be shown for a moment: it must not request the deleted schedule.
      await client.invalidateQueries({ queryKey: [...SCHEDULES_KEY, schedule.id], refetchType: 'none' });
      await client.invalidateQueries({ queryKey: SCHEDULES_KEY, exact: true });
    });
  };
  return (
    <Dialog title={`Delete ${visible(schedule.name)}`} close={close}>
      <form className="stack" onSubmit={remove}>
        <p>
          No more files are written, and a current run is cancelled.{' '}
          {schedule.destination.kind === 's3'
            ? 'Its credentials are deleted; the files in the bucket are kept.'
            : 'Finished files expire after the same time as all exports.'}
        </p>
        <FormEnd sending={sending} label="Delete schedule" kind="danger" close={close} />
      </form>
    </Dialog>
  );
}
