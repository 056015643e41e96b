/** Exports that the service makes while nobody waits. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { get, send } from '../api/client.ts';
import type { Data } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { useSending } from '../parts/form.ts';
import { count } from '../parts/format.ts';
import { Id, Time } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';

interface Job {
  readonly id: string;
  readonly state: 'queued' | 'running' | 'done' | 'failed' | 'cancelled';
  readonly format?: string;
  readonly rows: number;
  readonly rows_expected: number | null;
  readonly bytes: number | null;
  readonly sha256: string | null;
  readonly error: string | null;
  readonly created_at: string;
}

interface JobsProps {
  readonly filters: Readonly<Record<string, string | undefined>>;
  readonly format: string;
}

const MEGABYTE = 1_000_000;
const POLL_MS = 2_000;

export function Jobs({ filters, format }: JobsProps): ReactNode {
  const client = useQueryClient();
  const sending = useSending();
  const jobs = useQuery({
    queryKey: ['exports'],
    queryFn: async () => (await get<Data<Job>>('/v1/exports', {}, { background: true })).data,
    refetchInterval: ({ state }) =>
      state.data?.some((job) => job.state === 'queued' || job.state === 'running') === true ? POLL_MS : false,
  });
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['exports'] });
  const start = (): void =>
    sending.run(async () => {
      await send('POST', '/v1/exports', {
        format,
        filters: Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)),
        destination: { kind: 'download' },
      });
      await refresh();
    });
  const cancel = (id: string): void =>
    sending.run(async () => {
      await send('DELETE', `/v1/exports/${id}`);
      await refresh();
    });
  return (
    <Block
      title="In the background"
      aside={
        <button type="button" className="button" disabled={sending.isSending} onClick={start}>
          Export in the background
        </button>
      }
      what="exports"
      query={jobs}
      height={120}
    >
      {(list) => (
        <div className="stack">
          {sending.problem !== undefined && (
            <p className="problem" role="alert">
              {sending.problem}
            </p>
          )}
          {list.length === 0 ? (
            <Empty>No export yet.</Empty>
          ) : (
            <ul className="rows jobs">
              {list.map((job) => (
                <li key={job.id}>
                  <span className="meta">
                    <Time at={job.created_at} />
                  </span>
                  <span>
                    {job.state}{' '}
                    <span className="dim tab-nums">
                      {count(job.rows)}
                      {job.rows_expected === null ? '' : ` of ${count(job.rows_expected)}`} rows
                      {job.bytes === null ? '' : `, ${(job.bytes / MEGABYTE).toFixed(1)} MB`}
                    </span>
                    {job.error !== null && <span className="problem"> {visible(job.error)}</span>}
                    {job.sha256 !== null && <Id id={job.sha256} />}
                  </span>
                  {job.state === 'done' ? (
                    <a className="button" href={`/v1/exports/${job.id}/file`} download="">
                      Download
                    </a>
                  ) : (
                    <button type="button" className="button" onClick={() => cancel(job.id)}>
                      {job.state === 'queued' || job.state === 'running' ? 'Cancel' : 'Remove'}
                    </button>
                  )}
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
    </Block>
  );
}
