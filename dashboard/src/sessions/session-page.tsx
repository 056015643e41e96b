/** The pages of sessions: one conversation in order, with the selected call next to it. They read events and change nothing. */

/** One conversation in order: its calls and their outcomes, with the selected call next to them. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { get } from '../api/client.ts';
import type { CallEvent } from '../api/types.ts';
import { Call } from '../events/call.tsx';
import { environmentOfCall, rememberList, searchOfCall } from '../events/neighbours.ts';
import { useEnds } from '../events/use-ends.ts';
import type { ListedEvent } from '../events/use-events.ts';
import { Empty, Failed, Part, Skeleton } from '../parts/block.tsx';
import { FurtherBack } from '../parts/further-back.tsx';
import { Page } from '../shell/page.tsx';
import { useSearchParams, useSetSearch, type Search } from '../shell/view.ts';
import { Sums } from './session-sums.tsx';
import { Timeline } from './timeline.tsx';
import { useSession, useSessionSums } from './use-session.ts';

const narrow = window.matchMedia('(max-width: 720px)');

export function SessionPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { id: string };
  const search = useSearchParams();
  const of = { session: id, app: search['app'], environment: environmentOfCall(search) };
  const session = useSession(of);
  const { list, events } = session;
  const sums = useSessionSums(of);
  // The calls wait for the totals above them, which may take several lines: otherwise they would move.
  const isReady = list.data !== undefined && sums.isSettled;
  return (
    <Page title={`Session ${id}`} full>
      {!isReady && (
        <div className="inset">
          {list.data === undefined && list.error !== null ? (
            <Failed what="the session" error={list.error} again={() => void list.refetch()} />
          ) : (
            <Skeleton height={320} />
          )}
        </div>
      )}
      {isReady && events.length === 0 && <NothingYet list={list} />}
      {isReady && events.length > 0 && (
        <>
          <Sums sums={sums} />
          {list.error !== null && (
            <div className="inset">
              <Failed what="the rest of the session" error={list.error} again={() => void list.fetchNextPage()} />
            </div>
          )}
          <Steps session={session} />
        </>
      )}
    </Page>
  );
}

/** The calls, and the chosen one next to them. */
function Steps({ session: { list, events, tools } }: { readonly session: ReturnType<typeof useSession> }): ReactNode {
  const { at } = useSearchParams();
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
