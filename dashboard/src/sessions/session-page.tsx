/** The pages of sessions: one conversation in order, with the selected call next to it. They read events and change nothing. */

/** One conversation in order: its calls and their outcomes, with the selected call next to them. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { get, type Schemas } from '../api/client.ts';
import type { CallEvent } from '../api/types.ts';
import { Call } from '../events/call.tsx';
import { environmentOfCall, rememberList, searchOfCall } from '../events/neighbours.ts';
import { useEnds } from '../events/use-ends.ts';
import type { ListedEvent } from '../events/use-events.ts';
import { Empty, Failed, Part, Skeleton } from '../parts/block.tsx';
import { counted, money, unpricedWords } from '../parts/format.ts';
import { FurtherBack } from '../parts/further-back.tsx';
import { Time } from '../parts/small.tsx';
import { UserText } from '../parts/text.tsx';
import { Page } from '../shell/page.tsx';
import { useSearchParams, useSetSearch, type Search } from '../shell/view.ts';
import { Timeline } from './timeline.tsx';
import { useSession, useSessionSums, type SessionId } from './use-session.ts';

const narrow = window.matchMedia('(max-width: 720px)');

export function SessionPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { id: string };
  const search = useSearchParams();
  const { app, at } = search;
  const of = { session: id, app, environment: environmentOfCall(search) };
  const { list, events, tools } = useSession(of);
  const setSearch = useSetSearch();
  const navigate = useNavigate();
  const open = (event: ListedEvent): void => {
    rememberList(events.map((each) => ({ id: each.id, app: each.app.id })));
    void navigate({
      to: '/events/$id',
      params: { id: event.id },
      search: ((before: Search) => searchOfCall(event.app.id)({ ...before, at: undefined })) as never,
    });
  };
  // A small screen only has space for the timeline or the call.
  const choose = (event: ListedEvent): void => (narrow.matches ? open(event) : setSearch({ at: event.id }, true));
  const chosen = events.find((event) => event.id === at) ?? (narrow.matches ? undefined : events[0]);
  return (
    <Page title={`Session ${id}`} full>
      {list.data === undefined && (
        <div className="inset">
          {list.error === null ? (
            <Skeleton height={320} />
          ) : (
            <Failed what="the session" error={list.error} again={() => void list.refetch()} />
          )}
        </div>
      )}
      {list.data !== undefined && events.length === 0 && <NothingYet list={list} />}
      {events.length > 0 && (
        <>
          <Sums of={of} />
          {list.error !== null && (
            <div className="inset">
              <Failed what="the rest of the session" error={list.error} again={() => void list.fetchNextPage()} />
            </div>
          )}
          <div className="session">
            <Timeline
              events={events}
              tools={tools}
              chosen={chosen?.id}
              choose={choose}
              open={open}
              hasMore={list.hasNextPage}
              more={() => {
                // After a failure, the request is only repeated when the user asks for it.
                if (!list.isFetchingNextPage && !list.isFetchNextPageError) void list.fetchNextPage();
              }}
            />
            {chosen !== undefined && <Chosen event={chosen} />}
          </div>
        </>
      )}
    </Page>
  );
}

/** No call was found: there is none, or the service ended the search early. */
function NothingYet({ list }: Pick<ReturnType<typeof useSession>, 'list'>): ReactNode {
  return (
    <div className="inset">
      {list.error !== null && list.isFetchNextPageError && (
        <Failed what="the rest of the session" error={list.error} again={() => void list.fetchNextPage()} />
      )}
      {list.hasNextPage ? (
        <FurtherBack
          at={list.data?.pages.at(-1)?.searched_to ?? null}
          isForward
          isEmpty
          isLooking={list.isFetchingNextPage}
          look={() => void list.fetchNextPage()}
        />
      ) : (
        <Empty>This session has no calls.</Empty>
      )}
    </div>
  );
}

function Sums({ of }: { readonly of: SessionId }): ReactNode {
  const sums = useSessionSums(of);
  return (
    <div className="toolbar session-sums meta tab-nums">
      {sums === undefined ? '\u00a0' : sums.map((row) => <SumsOf key={`${row.app.id} ${row.environment}`} row={row} />)}
    </div>
  );
}

function SumsOf({ row }: { readonly row: Schemas['CallSession'] }): ReactNode {
  return (
    <span>
      <UserText text={row.app.name ?? row.app.id} /> · {row.environment} · <Time at={row.first_at} as="table" /> to{' '}
      <Time at={row.last_at} as="table" /> · {counted(row.calls, 'call')}, {counted(row.tool_calls, 'tool call')} ·{' '}
      {counted(Number(row.tokens), 'token')} · {costWords(row)}
    </span>
  );
}

/** The cost of a session, or how many of its calls have none. */
function costWords({ cost_nano_usd: nano, without_price: withoutPrice }: Schemas['CallSession']): string {
  const unpriced = unpricedWords(withoutPrice);
  if (unpriced === '') return money(nano, 5);
  return BigInt(nano) === 0n ? unpriced : `${money(nano, 5)} (${unpriced})`;
}

function Chosen({ event: { id, app } }: { readonly event: ListedEvent }): ReactNode {
  const call = useQuery({
    queryKey: ['event', id, app.id],
    queryFn: ({ signal }) => get<CallEvent>(`/v1/events/${encodeURIComponent(id)}`, { app: app.id }, { signal }),
  });
  // Asked for at the same time as the call, which needs both.
  useEnds(id);
  return (
    <section className="session-call" aria-label="The selected call">
      <div className="toolbar">
        <Link
          to="/events/$id"
          params={{ id }}
          search={((before: Search) => searchOfCall(app.id)({ ...before, at: undefined })) as never}
          className="button"
        >
          Open the call
        </Link>
      </div>
      <Part what="the call" query={call} height={320}>
        {(event) => <Call key={event.id} event={event} plain />}
      </Part>
    </section>
  );
}
