/** Exports that the service writes in the background. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { get, send } from '../api/client.ts';
import type { Data } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { Problem } from '../parts/form-end.tsx';
import { useSending, type Sending } from '../parts/form.ts';
import { BucketExport } from './bucket-export.tsx';
import { JobRow, type JobRowProps } from './job-row.tsx';
import { isMoving } from './job-words.ts';
import type { ChosenColumns } from './table-columns.tsx';
import type { Job } from './schedule-words.ts';

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
  const { sending, refresh, start, pause } = useJobRequests();
  const jobs = useQuery({
    queryKey: ['exports'],
    queryFn: async () => (await get<Data<Job>>('/v1/exports', {}, { background: true })).data,
    refetchInterval: ({ state }) => (state.data?.some(isMoving) === true ? POLL_MS : false),
  });
  const [isToBucket, setToBucket] = useState(false);
  const order = {
    format,
    filters: Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
    ...(format === 'csv' && bom ? { bom } : {}),
    ...(columns === null ? {} : { columns }),
  };
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

/** The requests that start, pause and resume exports; each of them reloads the list. */
function useJobRequests() {
  const client = useQueryClient();
  const sending = useSending();
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['exports'] });
  const start = (order: object): void =>
    sending.run(async () => {
      await send('POST', '/v1/exports', order);
      await refresh();
    });
  const pause = (id: string, paused: boolean): void =>
    sending.run(async () => {
      await send('PATCH', `/v1/exports/${id}`, { paused });
      await refresh();
    });
  return { sending, refresh, start, pause };
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
