import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import { isSettled, useApps, useFeature, useMe } from '../api/queries.ts';
import { isMerged } from '../api/merged-groups.ts';
import { sum, sumBig, useStats, type Stats } from '../api/stats.ts';
import { ENVIRONMENTS, type App, type AppDetail, type Data, type Key } from '../api/types.ts';
import { Block, Empty } from '../parts/block.tsx';
import { count, counted } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Cost, None, Sparkline, Time } from '../parts/small.tsx';
import { TableHead, type Column } from '../parts/table-head.tsx';
import { UserText } from '../parts/text.tsx';
import { Page } from '../shell/page.tsx';
import { useView } from '../shell/view.ts';
import { useFiguresLink } from '../shell/zoom.ts';

/** The service returns the figures of at most this number of apps: those with the most calls. */
const MOST_COUNTED = 50;
/** The last event is requested for at most this number of apps, each with a request of its own. */
const MAX_REQUESTED = 20;
const notLoaded = <span className="dim">not loaded</span>;

export function AppsPage(): ReactNode {
  const apps = useApps();
  const keys = useQuery({ queryKey: ['keys'], queryFn: async () => (await get<Data<Key>>('/v1/keys')).data });
  const hasStats = useFeature('stats');
  const figures = useStats('app', {}, MOST_COUNTED);
  const stats = figures.data;
  const me = useMe();
  const { rangeWords } = useView();
  // The table waits for all columns: columns that arrive one by one would shift the others.
  const isReady = isSettled(me) && isSettled(keys) && (!hasStats || isSettled(figures));
  const { isPlaceholderData, isFetching } = figures;
  const table = { ...apps, data: isReady ? apps.data : undefined, isPlaceholderData, isFetching };
  const lost = [...(keys.data === undefined ? ['Keys'] : []), ...(hasStats && stats === undefined ? ['Figures'] : [])];
  return (
    <Page title="Apps">
      <Block
        title={
          <>
            {apps.data === undefined ? 'Apps' : counted(apps.data.length, 'app')}
            {stats !== undefined && <span className="meta">statistics for {rangeWords}</span>}
            {isReady && lost.length > 0 && (
              <span className="meta" role="alert">
                {lost.join(' and ')} could not be loaded.
              </span>
            )}
          </>
        }
        aside={
          <Link to="/apps/$id/setup" params={{ id: 'new' }} className="button primary">
            <Icon name="plus" />
            Create an app
          </Link>
        }
        what="apps"
        query={table}
        height={160}
      >
        {(list) => (list.length === 0 ? <NoApps /> : <AppsTable list={list} keys={keys.data} stats={stats} />)}
      </Block>
    </Page>
  );
}

function NoApps(): ReactNode {
  return (
    <Empty>
      There is no app yet.{' '}
      <Link to="/apps/$id/setup" params={{ id: 'new' }} className="link">
        Create your first app
      </Link>
    </Empty>
  );
}

const COLUMNS: readonly Column[] = ['App', 'Keys'];
const COLUMNS_OF_FIGURES: readonly Column[] = [
  { label: 'Calls', className: 'num' },
  { label: 'Calls over time', hidden: true },
  { label: 'Blocked', className: 'num' },
  { label: 'Cost', className: 'num' },
];
const LAST_COLUMNS: readonly Column[] = [
  { label: 'Last event', className: 'ago' },
  { label: 'Last key use', className: 'ago' },
  { label: 'Go to', hidden: true },
];

interface AppsTableProps {
  readonly list: readonly App[];
  /** undefined: not loaded, as for the figures. */
  readonly keys: readonly Key[] | undefined;
  readonly stats: Stats | undefined;
}

function AppsTable({ list, keys, stats }: AppsTableProps): ReactNode {
  return (
    <table className="table fold">
      <TableHead columns={[...COLUMNS, ...(stats === undefined ? [] : COLUMNS_OF_FIGURES), ...LAST_COLUMNS]} />
      <tbody>
        {list.map((app, index) => (
          <Row key={app.id} app={app} keys={keys} stats={stats} isRequested={index < MAX_REQUESTED} />
        ))}
      </tbody>
    </table>
  );
}

interface RowProps {
  readonly app: App;
  readonly keys: readonly Key[] | undefined;
  readonly stats: Stats | undefined;
  /** Whether the last event of the app is requested. */
  readonly isRequested: boolean;
}

function Row({ app: { id, name }, keys, stats, isRequested }: RowProps): ReactNode {
  const own = keys?.filter(({ app }) => app.id === id) ?? [];
  const used = own
    .map(({ last_used_at: at }) => at ?? '')
    .sort()
    .at(-1);
  return (
    <tr className="go">
      <td>
        <Link to="/apps/$id/settings" params={{ id }} className="strong">
          <UserText text={name} cut />
        </Link>
      </td>
      <td data-label="keys">{keys === undefined ? '' : <KeyDots keys={own} />}</td>
      {stats !== undefined && <Figures app={id} stats={stats} />}
      <td data-label="last event" className="ago">
        {isRequested ? <LastEvent app={id} /> : notLoaded}
      </td>
      <td data-label="key used">{used === undefined || used === '' ? <None /> : <Time at={used} />}</td>
      <td className="acts">
        <Link to="/apps/$id/setup" params={{ id }} className="button">
          Set up
        </Link>
      </td>
    </tr>
  );
}

/** The cells with the figures of an app. If the service merges apps, the figures of those without a group are unknown, and not zero. */
function Figures({ app, stats }: { readonly app: string; readonly stats: Stats }): ReactNode {
  const { groups } = stats;
  const group = groups.find(({ key }) => key === app);
  const isUnknown = group === undefined && groups.some(isMerged);
  const { calls = [], blocked = [], cost_nano_usd: cost = [], without_price: unpriced = [] } = group ?? {};
  return (
    <>
      <td className="num" data-label="calls">
        {isUnknown ? notLoaded : count(sum(calls))}
      </td>
      <td className="wide-only">{!isUnknown && <Sparkline values={calls} />}</td>
      <td className="num" data-label="blocked">
        {isUnknown ? notLoaded : <Blocked app={app} calls={sum(blocked)} stats={stats} />}
      </td>
      <td className="num" data-label="cost">
        {isUnknown ? notLoaded : <Cost nanoUsd={sumBig(cost)} withoutPrice={sum(unpriced)} digits={2} />}
      </td>
    </>
  );
}

interface BlockedProps {
  readonly app: string;
  readonly calls: number;
  /** The range of the figures. */
  readonly stats: Pick<Stats, 'from' | 'to'>;
}

/** The number links to the calls that it counts. */
function Blocked({ app, calls, stats }: BlockedProps): ReactNode {
  const { times, noted } = useFiguresLink()(stats);
  if (calls === 0) return <span className="dim">0</span>;
  return (
    <Link
      to="/events"
      search={((before: object) => ({ ...before, ...times, app, outcome: 'blocked' })) as never}
      onClick={noted}
      className="link"
    >
      {count(calls)}
    </Link>
  );
}

function LastEvent({ app }: { readonly app: string }): ReactNode {
  const isTold = useFeature('apps.limits');
  const { data } = useQuery({
    queryKey: ['app', app],
    queryFn: () => get<AppDetail>(`/v1/apps/${app}`, {}, { background: true }),
    enabled: isTold,
  });
  if (data === undefined) return isTold ? <span className="dim">…</span> : null;
  return data.last_event_at === null ? <None /> : <Time at={data.last_event_at} />;
}

function KeyDots({ keys }: { readonly keys: readonly Key[] }): ReactNode {
  const there = ENVIRONMENTS.filter((env) => keys.some(({ environment }) => environment === env));
  return there.length === 0 ? <span className="dim">none</span> : <span>{there.join(', ')}</span>;
}
