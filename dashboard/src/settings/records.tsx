import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { useFeature, useMe } from '../api/queries.ts';
import { ENVIRONMENTS, type Me, type Page } from '../api/types.ts';
import { countOf } from '../events/use-count.ts';
import type { ListedEvent } from '../events/use-events.ts';
import { inEnvironment } from '../shell/page-environment.ts';
import { ALL_TIME } from '../shell/span.ts';
import { Failed, Skeleton } from '../parts/block.tsx';
import { count, counted } from '../parts/format.ts';
import { None, Time } from '../parts/small.tsx';
import { FilePath } from '../parts/text.tsx';
import { TableHead } from '../parts/table-head.tsx';

type Kept = Me['retention'][number];

/** The parts of calls that the policies in force store, the time for which they are stored, and the number of stored events. */
export function Records(): ReactNode {
  const kept = useMe().data?.retention ?? [];
  const isCounted = useFeature('events.count');
  const counts = useQueries({
    queries: ENVIRONMENTS.map((environment) => ({ ...countOf({ environment }, ALL_TIME), enabled: isCounted })),
  });
  const oldest = useQueries({ queries: ENVIRONMENTS.map(oldestOf) });
  const stored = [...counts, ...oldest];
  // After a failure, the table stays during the next attempts.
  if (stored.some(({ isLoading, errorUpdateCount }) => isLoading && errorUpdateCount === 0))
    return <Skeleton height={128} />;
  const failed = stored.find(({ data, error }) => data === undefined && error !== null);
  const again = (): void => stored.forEach(({ error, refetch }) => void (error === null || refetch()));
  return (
    <div className="stack">
      <table className="table fold">
        <TableHead
          columns={[
            'Environment',
            'Content stored',
            'Defined in',
            'Retention',
            { label: 'Events', className: 'num' },
            'Oldest event',
          ]}
        />
        <tbody>
          {ENVIRONMENTS.map((env, index) => {
            const ofEnvironment = kept.find(({ environment }) => environment === env);
            const total = counts[index]?.data;
            const found = oldest[index]?.data;
            return (
              <tr key={env}>
                <td>{env}</td>
                <td data-label="content">{ofEnvironment?.content?.stored ?? <None />}</td>
                <td data-label="defined in">
                  <Place env={env} content={ofEnvironment?.content} />
                </td>
                <td data-label="retention">{keptText(ofEnvironment)}</td>
                <td data-label="events" className="num">
                  {total === undefined ? <None /> : `${count(total.count)}${total.capped ? '+' : ''}`}
                </td>
                <td data-label="oldest event">
                  <Oldest found={found} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {failed?.error && <Failed what="the stored events" error={failed.error} again={again} />}
      <p className="hint">The policies define the retention: change it there.</p>
    </div>
  );
}

/** The time of the oldest event. A search that ended early has not reached it. */
function Oldest({ found }: { readonly found: Page<ListedEvent> | undefined }): ReactNode {
  const first = found?.data[0];
  if (first !== undefined) return <Time at={first.received_at} as="table" />;
  if (typeof found?.searched_to !== 'string') return <None />;
  return (
    <>
      after <Time at={found.searched_to} as="table" />
    </>
  );
}

const oldestOf = (environment: string) => ({
  queryKey: ['events', 'oldest', environment],
  queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
    get<Page<ListedEvent>>('/v1/events', { environment, order: 'asc', limit: 1, fields: 'summary' }, { signal }),
});

interface PlaceProps {
  readonly env: string;
  /** Undefined for an older service, null if the active policy cannot be run. */
  readonly content: Kept['content'] | undefined;
}

/** The place in the policy at which the storing of texts is set; a dash if no file sets it. */
function Place({ env, content }: PlaceProps): ReactNode {
  const path = content?.path ?? null;
  const line = content?.line ?? null;
  if (path === null || line === null) return <None />;
  return (
    <Link
      to="/policies/$env/files/$"
      params={{ env, _splat: path }}
      search={inEnvironment(env)}
      hash={`L${line}`}
      className="link mono"
    >
      <FilePath path={path} line={line} />
    </Link>
  );
}

/** The retention of records, that of texts if it differs, and the number of events that a hold keeps. */
function keptText(kept: Kept | undefined): string {
  if (kept === undefined) return '';
  const { content_days: texts, records_days: records, held_events: held } = kept;
  const time = (days: number | null): string => (days === null ? 'indefinitely' : counted(days, 'day'));
  const whole = texts === null || texts === records ? time(records) : `${time(records)}, texts ${time(texts)}`;
  return held === 0 ? whole : `${whole}; ${count(held)} held`;
}
