/** Exports that the service writes in the background. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { get, send } from '../api/client.ts';
import { useApps } from '../api/queries.ts';
import type { Data } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { Problem } from '../parts/form-end.tsx';
import { useSending, type Sending } from '../parts/form.ts';
import { count, counted, tableTime } from '../parts/format.ts';
import { fileSize } from '../parts/numbers.ts';
import { Id, Time } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { BucketExport } from './bucket-export.tsx';
import { EndExport } from './end-export.tsx';
import { isMoving, isOpen, resumeWords } from './job-words.ts';
import type { ChosenColumns } from './table-columns.tsx';
import { FORMATS, placeWords, STATES, whatOf, type Job } from './schedule-words.ts';

interface JobsProps {
  readonly filters: Readonly<Record<string, string | undefined>>;
  /** The page has filters that this version does not know: nothing is exported until they are removed. */
  readonly isUnclear: boolean;
  readonly format: Job['format'];
  /** CSV that begins with a byte order mark. */
  readonly bom: boolean;
  readonly columns: ChosenColumns;
}

export const POLL_MS = 2_000;

export function Jobs({ filters, isUnclear, format, bom, columns }: JobsProps): ReactNode {
  const client = useQueryClient();
  const sending = useSending();
  const jobs = useQuery({
    queryKey: ['exports'],
    queryFn: async () => (await get<Data<Job>>('/v1/exports', {}, { background: true })).data,
    refetchInterval: ({ state }) => (state.data?.some(isMoving) === true ? POLL_MS : false),
  });
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['exports'] });
  const [isToBucket, setToBucket] = useState(false);
  const order = {
    format,
    filters: Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
    ...(format === 'csv' && bom ? { bom } : {}),
    ...(columns === null ? {} : { columns }),
  };
  const start = (wanted: object): void =>
    sending.run(async () => {
      await send('POST', '/v1/exports', wanted);
      await refresh();
    });
  const pause = (id: string, paused: boolean): void =>
    sending.run(async () => {
      await send('PATCH', `/v1/exports/${id}`, { paused });
      await refresh();
    });
  return (
    <Block
      title="In the background"
      aside={
        <span className="line tight">
          <button type="button" className="button" disabled={isUnclear} onClick={() => setToBucket(true)}>
            Export to a bucket
          </button>
          <button
            type="button"
            className="button"
            disabled={isUnclear || sending.isSending}
            onClick={() => start(order)}
          >
            Export in the background
          </button>
        </span>
      }
      what="exports"
      query={jobs}
      height={120}
    >
      {(list) => (
        <>
          <JobList
            label="Exports"
            list={list}
            sending={sending}
            ended={refresh}
            pause={pause}
            again={(job) => start(orderOf(job))}
          >
            No export yet. Exports continue when you leave this page, and after a restart of the service.
          </JobList>
          {isToBucket && <BucketExport order={order} close={() => setToBucket(false)} started={refresh} />}
        </>
      )}
    </Block>
  );
}

/** The request that starts an export of the same events again. */
const orderOf = ({ format, filters, bom, columns }: Job): object => ({
  format,
  filters,
  ...(bom ? { bom } : {}),
  ...(columns === null ? {} : { columns }),
});

interface JobListProps {
  readonly label: string;
  readonly list: readonly Job[];
  /** The request that pauses or resumes an export of the list, or starts it again. */
  readonly sending: Sending;
  readonly ended: JobRowProps['ended'];
  readonly pause: JobRowProps['pause'];
  readonly again?: JobRowProps['again'];
  /** The text shown if the list is empty. */
  readonly children: string;
}

export function JobList({ label, list, sending, ended, pause, again, children }: JobListProps): ReactNode {
  return (
    <div className="stack">
      <Problem of={sending} />
      {list.length === 0 ? (
        <Empty>{children}</Empty>
      ) : (
        <ul className="export-jobs" aria-label={label}>
          {list.map((job) => (
            <JobRow key={job.id} job={job} ended={ended} pause={pause} again={again} />
          ))}
        </ul>
      )}
    </div>
  );
}

interface JobRowProps {
  readonly job: Job;
  /** Called after the export was cancelled or removed. */
  readonly ended: () => Promise<unknown>;
  readonly pause: (id: string, paused: boolean) => void;
  /** Starts the export again from its first row; absent for runs of a schedule, which the schedule repeats. */
  readonly again?: ((job: Job) => void) | undefined;
}

/** One export, in the list of exports or among the runs of a schedule. */
function JobRow({ job, ended, pause, again }: JobRowProps): ReactNode {
  const [isEnding, setEnding] = useState(false);
  const apps = useApps().data ?? [];
  // A screen reader may read a button without its row.
  const of = `the export of ${tableTime(job.created_at)}`;
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
            onClick={() => setEnding(true)}
          >
            {isOpen(job) ? 'Cancel' : 'Remove'}
          </button>
        </span>
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
