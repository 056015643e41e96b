/** One schedule of exports: its settings, and the files that it has written. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ApiError, get, send } from '../api/client.ts';
import { useApps } from '../api/queries.ts';
import type { Data } from '../api/types.ts';
import { Block, Empty, Part } from '../parts/block.tsx';
import { Problem } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { HistoryLink } from '../parts/history-link.tsx';
import { Time } from '../parts/small.tsx';
import { visible } from '../parts/text.tsx';
import { Page, Trail } from '../shell/page.tsx';
import { isMoving } from './job-words.ts';
import { JobList, POLL_MS } from './jobs.tsx';
import { DeleteSchedule, PauseButton, schedulePath, SCHEDULES_KEY, usePausing } from './schedule-actions.tsx';
import { ScheduleDialog } from './schedule-form.tsx';
import { dueWords, FORMATS, placeWords, whatOf, type Job, type Schedule } from './schedule-words.ts';
import { Next } from './schedules.tsx';

export function SchedulePage(): ReactNode {
  const { id } = useParams({ strict: false }) as { id: string };
  const schedule = useQuery({
    queryKey: [...SCHEDULES_KEY, id],
    queryFn: () => get<Schedule>(schedulePath(id), {}, { background: true }),
  });
  const name = schedule.data === undefined ? 'Schedule' : visible(schedule.data.name);
  return (
    <Page
      title={name}
      heading={
        <Trail to="/exports" above="Exports">
          {name}
        </Trail>
      }
    >
      {schedule.error instanceof ApiError && schedule.error.status === 404 ? (
        <Empty>
          There is no such schedule, or it was deleted.{' '}
          <Link to="/exports" className="link">
            Show all schedules
          </Link>
        </Empty>
      ) : (
        <>
          <Part what="the schedule" query={schedule} height={236}>
            {(found) => <About key={found.id} schedule={found} />}
          </Part>
          {schedule.data !== undefined && <Runs id={id} />}
        </>
      )}
    </Page>
  );
}

function About({ schedule }: { readonly schedule: Schedule }): ReactNode {
  const [doing, setDoing] = useState<'edit' | 'delete' | null>(null);
  const pausing = usePausing();
  const navigate = useNavigate();
  const close = (): void => setDoing(null);
  return (
    <section className="stack wide form">
      {schedule.problem !== null && (
        <p className="notice amber">
          The service paused this schedule: {visible(schedule.problem)} Resume it after fixing the problem.
        </p>
      )}
      <Settings schedule={schedule} />
      <Problem of={pausing} />
      <div className="line">
        <button type="button" className="button" onClick={() => setDoing('edit')}>
          Change
        </button>
        <PauseButton schedule={schedule} pausing={pausing} />
        <button type="button" className="button danger" onClick={() => setDoing('delete')}>
          Delete
        </button>
        <HistoryLink of={[schedule.id]} />
      </div>
      {doing === 'edit' && <ScheduleDialog schedule={schedule} filters={schedule.filters} close={close} />}
      {doing === 'delete' && (
        <DeleteSchedule schedule={schedule} close={close} deleted={() => void navigate({ to: '/exports' })} />
      )}
    </section>
  );
}

function Settings({ schedule }: { readonly schedule: Schedule }): ReactNode {
  const apps = useApps().data ?? [];
  return (
    <dl className="facts-list">
      <dt>When</dt>
      <dd>{dueWords(schedule.due)}</dd>
      <dt>Next</dt>
      <dd>
        <Next schedule={schedule} />
        {schedule.next_at !== null && (
          <span className="dim">
            {' '}
            · <Time at={schedule.next_at} as="table" />
          </span>
        )}
      </dd>
      <dt>What</dt>
      <dd>{whatOf(schedule, apps)}</dd>
      <dt>Continues from</dt>
      <dd>
        <Time at={schedule.covered_to} as="table" />
        <span className="dim">
          {' '}
          · {schedule.last_run === null ? 'its first file begins there' : 'its files contain the earlier events'}
        </span>
      </dd>
      <dt>Format</dt>
      <dd>
        {FORMATS[schedule.format]}
        {schedule.bom && <span className="dim"> with a byte order mark</span>}
        {schedule.columns !== null && <span className="dim"> · {schedule.columns.join(', ')}</span>}
      </dd>
      <dt>To</dt>
      <dd>
        {visible(placeWords(schedule.destination))}
        {schedule.destination.kind === 's3' && (
          <span className="dim">
            {' '}
            in {visible(schedule.destination.endpoint ?? schedule.destination.region)}, key …
            {visible(schedule.destination.access_key_ends)}
          </span>
        )}
      </dd>
      <dt>Created</dt>
      <dd>
        <Time at={schedule.created_at} />
        {schedule.by.name !== null && <span className="dim"> · last changed by {visible(schedule.by.name)}</span>}
      </dd>
    </dl>
  );
}

function Runs({ id }: { readonly id: string }): ReactNode {
  const sending = useSending();
  const runs = useQuery({
    queryKey: ['export-runs', id],
    queryFn: async () => (await get<Data<Job>>(`${schedulePath(id)}/runs`, {}, { background: true })).data,
    refetchInterval: ({ state }) => (state.data?.some(isMoving) === true ? POLL_MS : false),
  });
  const pause = (run: string, paused: boolean): void =>
    sending.run(async () => {
      await send('PATCH', `/v1/exports/${run}`, { paused });
      await runs.refetch();
    });
  return (
    <Block title="Runs" what="its runs" query={runs} height={120}>
      {(list) => (
        <JobList label="Runs" list={list} sending={sending} ended={() => runs.refetch()} pause={pause}>
          No run yet. A run starts ten minutes after it is due.
        </JobList>
      )}
    </Block>
  );
}
