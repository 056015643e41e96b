import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import { ENVIRONMENTS, type Bundle, type Me, type Page } from '../api/types.ts';
import { useEventCount } from '../events/use-count.ts';
import { ALL_TIME } from '../shell/span.ts';
import type { ListedEvent } from '../events/use-events.ts';
import { Failed, Skeleton } from '../parts/block.tsx';
import { None, Time } from '../parts/small.tsx';
import { FilePath } from '../parts/text.tsx';
import { TableHead } from '../parts/table-head.tsx';

/** The retention settings of the policies, and the stored events. */
export function Records(): ReactNode {
  const me = useMe().data;
  const bundles = useQueries({
    queries: ENVIRONMENTS.map((env) => ({
      queryKey: ['bundle', env, 'in force'],
      queryFn: () => get<Bundle>(`/v1/policies/${env}/bundle`),
    })),
  });
  const failed = bundles.find(({ error }) => error !== null);
  if (failed?.error) {
    const again = (): void => bundles.forEach(({ error, refetch }) => void (error === null || refetch()));
    return <Failed what="the retention settings" error={failed.error} again={again} />;
  }
  if (bundles.some(({ data }) => data === undefined)) return <Skeleton height={128} />;
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
            const found = contentOf(env, bundles[index]?.data);
            return (
              <tr key={env}>
                <td>{env}</td>
                <td data-label="content">{found?.value ?? (bundles[index]?.data === undefined ? '' : 'redacted')}</td>
                <td data-label="defined in">
                  {found === undefined ? (
                    <None />
                  ) : (
                    <Link
                      to="/policies/$env/files/$"
                      params={{ env, _splat: found.path }}
                      hash={`L${found.line}`}
                      className="link mono"
                    >
                      <FilePath path={found.path} line={found.line} />
                    </Link>
                  )}
                </td>
                <td data-label="retention">{keptText(me?.retention.find(({ environment }) => environment === env))}</td>
                <Stored environment={env} />
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className="hint">The policies define the retention: change it there.</p>
    </div>
  );
}

/** The number of events in the database and the time of the oldest; a dash while either is unknown. */
function Stored({ environment }: { readonly environment: string }): ReactNode {
  const { total } = useEventCount({ environment }, ALL_TIME);
  const query = { environment, order: 'asc', limit: 1, fields: 'summary' };
  const oldest = useQuery({
    queryKey: ['events', 'oldest', environment],
    queryFn: ({ signal }) => get<Page<ListedEvent>>('/v1/events', query, { signal }),
  }).data?.data[0];
  return (
    <>
      <td data-label="events" className="num">
        {total ?? <None />}
      </td>
      <td data-label="oldest event">{oldest === undefined ? <None /> : <Time at={oldest.received_at} as="table" />}</td>
    </>
  );
}

/** The retention of records, that of texts if it differs, and the number of events that a hold keeps. */
function keptText(kept: Me['retention'][number] | undefined): string {
  if (kept === undefined) return '';
  const { content_days: texts, records_days: records, held_events: held } = kept;
  const time = (days: number | null): string => (days === null ? 'indefinitely' : `${days} days`);
  const whole = texts === null || texts === records ? time(records) : `${time(records)}, texts ${time(texts)}`;
  return held === 0 ? whole : `${whole}; ${held} held`;
}

/** The content setting of the environment's own file, otherwise of a file that it inherits. */
function contentOf(
  env: string,
  bundle: Bundle | undefined,
): { readonly value: string; readonly path: string; readonly line: number } | undefined {
  const shared = (path: string): number => (path.startsWith(`${env}/`) ? 0 : 1);
  const files = (bundle?.files ?? []).filter(
    ({ path }) => shared(path) === 0 || !ENVIRONMENTS.some((other) => path.startsWith(`${other}/`)),
  );
  for (const { path, text } of files.sort((left, right) => shared(left.path) - shared(right.path))) {
    const lines = text.split('\n');
    const at = lines.findIndex((line) => /^\s*content:\s*(?:none|full|redacted)\b/.test(line));
    if (at !== -1) return { value: /content:\s*(\w+)/.exec(lines[at] ?? '')?.[1] ?? '', path, line: at + 1 };
  }
  return undefined;
}
