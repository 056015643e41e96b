/** One export with its progress, its file and the actions for it. */
import { useState, type ReactNode } from 'react';
import { useApps } from '../api/queries.ts';
import { count, counted, tableTime } from '../parts/format.ts';
import { fileSize } from '../parts/numbers.ts';
import { Id, Time } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { EndExport } from './end-export.tsx';
import { isOpen, resumeWords } from './job-words.ts';
import { FORMATS, placeWords, STATES, whatOf, type Job } from './schedule-words.ts';

export interface JobRowProps {
  readonly job: Job;
  /** Called after the export was cancelled or removed. */
  readonly ended: () => Promise<unknown>;
  readonly pause: (id: string, paused: boolean) => void;
  /** Starts the export again from its first row; absent for runs of a schedule, which the schedule repeats. */
  readonly again?: ((job: Job) => void) | undefined;
}

/** One export, in the list of exports or among the runs of a schedule. */
export function JobRow({ job, ended, pause, again }: JobRowProps): ReactNode {
  const [isEnding, setEnding] = useState(false);
  const apps = useApps().data ?? [];
  return (
    <li>
      <div className="export-head">
        <span>
          <strong>{FORMATS[job.format]}</strong> <span className={stateClass(job)}>{STATES[job.state]}</span>
        </span>
        <span className="dim tab-nums">
          {isOpen(job) && job.rows_expected !== null
            ? `${count(job.rows)} of about ${counted(job.rows_expected, 'row')}`
            : counted(job.rows, 'row')}
          {job.bytes > 0 && `, ${fileSize(job.bytes)}`}
        </span>
        <span className="push meta">
          <Time at={job.created_at} />
          {job.by.name !== null && <span className="by"> by {visible(job.by.name)}</span>}
        </span>
        <JobActions job={job} pause={pause} again={again} end={() => setEnding(true)} />
      </div>
      {isEnding && <EndExport job={job} close={() => setEnding(false)} ended={ended} />}
      {isOpen(job) && job.rows_expected !== null && job.rows_expected > 0 && (
        <progress
          max={job.rows_expected}
          value={Math.min(job.rows, job.rows_expected)}
          aria-label={`${FORMATS[job.format]}, rows written`}
        />
      )}
      {job.error !== null && <p className={isOpen(job) ? 'amber' : 'problem'}>{visible(job.error)}</p>}
      {job.resumable && job.expires_at !== null && (
        <p className="meta">
          Can be resumed until <Time at={job.expires_at} as="table" />
        </p>
      )}
      <p className="meta export-what">
        {whatOf(job, apps)}
        {job.columns !== null && `; columns ${job.columns.join(', ')}`}
      </p>
      {job.destination.kind === 's3' && <p className="meta export-what">To {visible(placeWords(job.destination))}</p>}
      {job.schedule !== null && <DueRun schedule={job.schedule} />}
      {job.sha256 !== null && job.state === 'done' && (
        <p className="meta line tight">
          SHA-256 <Id id={job.sha256} />
          <FileEnd job={job} />
        </p>
      )}
    </li>
  );
}

interface JobActionsProps extends Pick<JobRowProps, 'job' | 'pause' | 'again'> {
  /** Asks whether to cancel or remove the export. */
  readonly end: () => void;
}

function JobActions({ job, pause, again, end }: JobActionsProps): ReactNode {
  // A screen reader may read a button without its row.
  const of = `the export of ${tableTime(job.created_at)}`;
  return (
    <span className="line tight">
      {job.has_file && (
        <a className="button" href={`/v1/exports/${job.id}/file`} download="" aria-label={`Download ${of}`}>
          Download
        </a>
      )}
      {isOpen(job) && job.destination.kind === 'download' && (
        <button
          type="button"
          className="button"
          aria-label={`${job.state === 'paused' ? 'Resume' : 'Pause'} ${of}`}
          onClick={() => pause(job.id, job.state !== 'paused')}
        >
          {job.state === 'paused' ? 'Resume' : 'Pause'}
        </button>
      )}
      {job.resumable && (
        <button type="button" className="button" onClick={() => pause(job.id, false)}>
          {resumeWords(job, count(job.rows + 1))}
        </button>
      )}
      {job.state === 'failed' && job.destination.kind === 'download' && again !== undefined && (
        <button type="button" className="button" onClick={() => again(job)}>
          Start again
        </button>
      )}
      <button
        type="button"
        className="button quiet"
        aria-label={`${isOpen(job) ? 'Cancel' : 'Remove'} ${of}`}
        onClick={end}
      >
        {isOpen(job) ? 'Cancel' : 'Remove'}
      </button>
    </span>
  );
}

/** For a run of a schedule: when it was due, and how many events arrived too late for its file. */
function DueRun({ schedule }: { readonly schedule: NonNullable<Job['schedule']> }): ReactNode {
  const late = schedule.late_rows ?? 0;
  return (
    <p className="meta">
      From a schedule, due <Time at={schedule.due_at} as="table" />
      {late > 0 && <span className="amber">; {counted(late, 'event')} for this file arrived after it was written</span>}
    </p>
  );
}

function FileEnd({ job }: { readonly job: Job }): ReactNode {
  if (job.expires_at === null) return null;
  if (!job.has_file) return <span>The file is deleted.</span>;
  return (
    <span>
      kept until <Time at={job.expires_at} as="table" />
    </span>
  );
}

const stateClass = ({ state }: Job): string => (state === 'failed' ? 'problem' : 'dim');
