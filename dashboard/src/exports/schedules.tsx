/** The list of schedules of exports, with their next runs and last results. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { get } from '../api/client.ts';
import type { Data } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { Problem } from '../parts/form-end.tsx';
import { Icon } from '../parts/icons.tsx';
import { DeleteButton, None, Time } from '../parts/small.tsx';
import { UserText, visible } from '../parts/text.tsx';
import { DeleteSchedule, PauseButton, SCHEDULES_KEY, usePausing } from './schedule-actions.tsx';
import { ScheduleDialog } from './schedule-form.tsx';
import { dueWords, FORMATS, placeWords, STATES, type Schedule } from './schedule-words.ts';
import { TableHead } from '../parts/table-head.tsx';

interface SchedulesProps {
  /** The filters of the page without its time range: a new schedule begins with them. */
  readonly filters: Readonly<Record<string, string | undefined>>;
  /** The page has filters that this version does not know: no schedule is created until they are removed. */
  readonly isUnclear: boolean;
}

export function Schedules({ filters, isUnclear }: SchedulesProps): ReactNode {
  const [isCreating, setCreating] = useState(false);
  const [deleted, setDeleted] = useState<Schedule | null>(null);
  const pausing = usePausing();
  const schedules = useQuery({
    queryKey: SCHEDULES_KEY,
    queryFn: async () => (await get<Data<Schedule>>('/v1/export-schedules', {}, { background: true })).data,
  });
  return (
    <>
      <Block
        title="Schedules"
        aside={
          <button type="button" className="button" disabled={isUnclear} onClick={() => setCreating(true)}>
            <Icon name="plus" />
            New schedule
          </button>
        }
        what="schedules"
        query={schedules}
        height={120}
      >
        {(list) => (
          <div className="stack">
            <Problem of={pausing} />
            {list.length === 0 ? (
              <Empty>
                No schedule yet. A schedule writes a file each day, week or month; each file begins where the previous
                one ended.
              </Empty>
            ) : (
              <ScheduleTable list={list} pausing={pausing} remove={setDeleted} />
            )}
          </div>
        )}
      </Block>
      {isCreating && <ScheduleDialog filters={filters} close={() => setCreating(false)} />}
      {deleted !== null && <DeleteSchedule schedule={deleted} close={() => setDeleted(null)} />}
    </>
  );
}

interface TableProps {
  readonly list: readonly Schedule[];
  readonly pausing: ReturnType<typeof usePausing>;
  readonly remove: (schedule: Schedule) => void;
}

function ScheduleTable({ list, pausing, remove }: TableProps): ReactNode {
  return (
    <table className="table fold">
      <TableHead columns={['Name', 'When', 'Next', 'Last run', 'File', { label: 'Actions', hidden: true }]} />
      <tbody>
        {list.map((schedule) => (
          <tr key={schedule.id}>
            <td className="strong">
              <Link to="/exports/schedules/$id" params={{ id: schedule.id }} className="link">
                <UserText text={schedule.name} cut />
              </Link>
            </td>
            <td>{dueWords(schedule.due)}</td>
            <td data-label="next">
              <Next schedule={schedule} />
            </td>
            <td data-label="last">
              <LastRun schedule={schedule} />
            </td>
            <td className="cut">
              {FORMATS[schedule.format]}
              {schedule.destination.kind === 's3' && (
                <span className="dim"> to {visible(placeWords(schedule.destination))}</span>
              )}
            </td>
            <td className="acts">
              <span className="line tight nowrap">
                <PauseButton schedule={schedule} pausing={pausing} />
                <DeleteButton name={schedule.name} act={() => remove(schedule)} />
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The next run, or that the schedule is paused, and whether the service paused it. */
export function Next({ schedule }: { readonly schedule: Schedule }): ReactNode {
  if (schedule.problem !== null) return <span className="amber">Paused by the service</span>;
  if (schedule.next_at === null) return <span className="dim">Paused</span>;
  return <Time at={schedule.next_at} />;
}

export function LastRun({ schedule: { last_run: run } }: { readonly schedule: Schedule }): ReactNode {
  if (run === null) return <None />;
  return (
    <>
      <span className={run.state === 'failed' ? 'problem' : ''}>{STATES[run.state]}</span>{' '}
      <span className="dim">
        <Time at={run.due_at} />
      </span>
    </>
  );
}
