/** Asks for confirmation before an export is cancelled or its file removed: neither can be undone. */
import type { FormEvent, ReactNode } from 'react';
import { send } from '../api/client.ts';
import { useApps } from '../api/queries.ts';
import Dialog from '../parts/dialog.tsx';
import { FormEnd } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { isOpen, lossOf } from './job-words.ts';
import { FORMATS, whatOf, type Job } from './schedule-words.ts';

interface EndProps {
  readonly job: Job;
  readonly close: () => void;
  /** Called after the export was cancelled or removed. */
  readonly ended: () => Promise<unknown>;
}

export function EndExport({ job, close, ended }: EndProps): ReactNode {
  const sending = useSending();
  const apps = useApps().data ?? [];
  const end = (event: FormEvent): void => {
    event.preventDefault();
    sending.run(async () => {
      await send('DELETE', `/v1/exports/${job.id}`);
      close();
      await ended();
    });
  };
  const isRunning = isOpen(job);
  return (
    <Dialog title={isRunning ? 'Cancel this export' : 'Remove this export'} close={close}>
      <form className="stack" onSubmit={end}>
        <p>
          {FORMATS[job.format]}: {whatOf(job, apps)}.
        </p>
        <p>{lossOf(job)} The events themselves are kept.</p>
        <FormEnd
          sending={sending}
          label={isRunning ? 'Cancel the export' : 'Remove the export'}
          kind="danger"
          away={isRunning ? 'Continue the export' : 'Keep the export'}
          close={close}
        />
      </form>
    </Dialog>
  );
}
