/** The page of a call: the reasons of its decision, and marks on it. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError, get } from '../api/client.ts';
import type { CallEvent } from '../api/types.ts';
import { Empty, Failed, Skeleton } from '../parts/block.tsx';
import { Icon } from '../parts/icons.tsx';
import { Id } from '../parts/small.tsx';
import { Page } from '../shell/page.tsx';
import { usePageKeys } from '../shell/keys.ts';
import { useSearchParams } from '../shell/view.ts';
import { AmbiguousCall } from './ambiguous-call.tsx';
import { Call } from './call.tsx';
import { appOfCall, environmentOfCall, neighbours, searchOfCall, type Listed } from './neighbours.ts';
import { isUuid } from '../parts/uuid.ts';
import { useEnds } from './use-ends.ts';

export function CallPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { id: string };
  const search = useSearchParams();
  const [app, environment] = [appOfCall(search), environmentOfCall(search)];
  const call = useQuery({
    queryKey: ['event', id, app, environment],
    queryFn: ({ signal }) => get<CallEvent>(`/v1/events/${encodeURIComponent(id)}`, { app, environment }, { signal }),
  });
  // Asked for at the same time as the call, which needs both.
  useEnds(id, isUuid(id));
  const lost = call.error instanceof ApiError ? call.error : undefined;
  return (
    <Page title={`Call ${id.slice(0, 13)}`} heading={<Heading id={id} />} full>
      {call.error !== null && (
        <div className="inset">
          {lost?.status === 404 ? (
            <NotHere id={id} isArchived={lost.details.some(({ path }) => path === 'archive')} />
          ) : lost?.status === 422 && lost.details.some(({ path }) => path === 'app' || path === 'environment') ? (
            <AmbiguousCall id={id} needed={lost.details.map(({ path }) => path)} />
          ) : (
            <Failed what="the call" error={call.error} again={() => void call.refetch()} />
          )}
        </div>
      )}
      {call.data === undefined && call.error === null && (
        <div className="inset">
          <Skeleton height={320} />
        </div>
      )}
      {call.data !== undefined && <Call key={call.data.id} event={call.data} />}
    </Page>
  );
}

/**
 * The archive cannot be searched by an id that a client chose: for such a call, the shown command lists the
 * complete archive.
 */
function NotHere({ id, isArchived }: { readonly id: string; readonly isArchived: boolean }): ReactNode {
  if (!isArchived)
    return <Empty>There is no such event, or it is older than the retention time of this environment.</Empty>;
  return (
    <div className="stack">
      <p>This call was moved to the archive. You can still read it in a terminal:</p>
      <code className="mono">weir events list --archive --json{isUuid(id) ? ` --call ${id}` : ''}</code>
      <p className="dim">An operator can restore its week to the log with weir archive restore.</p>
    </div>
  );
}

function Heading({ id }: { readonly id: string }): ReactNode {
  const { at, of, before, after } = neighbours(id);
  const navigate = useNavigate();
  const go = (to: Listed | undefined): void => {
    if (to !== undefined)
      void navigate({ to: '/events/$id', params: { id: to.id }, search: searchOfCall(to.app) as never });
  };
  usePageKeys({ j: () => go(after), k: () => go(before) });
  return (
    <span className="line nowrap">
      <Link
        to="/events"
        search={searchOfCall(undefined) as never}
        className="button quiet icon-only"
        aria-label="Back to events"
      >
        <Icon name="left" />
      </Link>
      <span className="line tight nowrap">
        Call <Id id={id} head={13} tail={0} />
      </span>
      {of > 1 && (
        <span className="line tight nowrap meta">
          <button
            type="button"
            className="button quiet icon-only"
            aria-label="Previous call"
            disabled={before === undefined}
            onClick={() => go(before)}
          >
            <Icon name="up" />
          </button>
          <button
            type="button"
            className="button quiet icon-only"
            aria-label="Next call"
            disabled={after === undefined}
            onClick={() => go(after)}
          >
            <Icon name="down" />
          </button>
          <span className="wide-only">
            {at} of {of}
          </span>
        </span>
      )}
    </span>
  );
}
