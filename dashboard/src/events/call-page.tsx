/** Why was this decided, and was it right? */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ApiError, get } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import type { CallEvent, Page as Paged } from '../api/types.ts';
import { Empty, Failed, Skeleton } from '../parts/block.tsx';
import { Icon } from '../parts/icons.tsx';
import { Id } from '../parts/small.tsx';
import { Page } from '../shell/page.tsx';
import { usePageKeys } from '../shell/keys.ts';
import { useSearchParams } from '../shell/view.ts';
import { CallSide } from './call-side.tsx';
import { Conversation } from './conversation-view.tsx';
import { FactsTable } from './facts-table.tsx';
import { MarkBar } from './marks.tsx';
import { neighbours } from './neighbours.ts';
import { RawRecord } from './raw-record.tsx';
import { TestDialog } from './test-dialog.tsx';
import { Verdict } from './verdict.tsx';
import { Why } from './why.tsx';

const TABS = ['Conversation', 'Why', 'Facts', 'Tools', 'Raw'] as const;
type Tab = (typeof TABS)[number];

export function CallPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { id: string };
  const { app } = useSearchParams();
  const call = useQuery({
    queryKey: ['event', id, app],
    queryFn: ({ signal }) => get<CallEvent>(`/v1/events/${encodeURIComponent(id)}`, { app }, { signal }),
  });
  return (
    <Page title={`Call ${id.slice(0, 13)}`} heading={<Heading id={id} />} full>
      {call.error !== null && (
        <div className="inset">
          {call.error instanceof ApiError && call.error.status === 404 ? (
            <Empty>There is no such event, or it is older than what this environment keeps.</Empty>
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

function Heading({ id }: { readonly id: string }): ReactNode {
  const { at, of, before, after } = neighbours(id);
  const navigate = useNavigate();
  const go = (to: { readonly id: string } | undefined): void => {
    if (to !== undefined)
      void navigate({ to: '/events/$id', params: { id: to.id }, search: ((all: object) => all) as never });
  };
  usePageKeys({ j: () => go(after), k: () => go(before) });
  return (
    <span className="line nowrap">
      <Link
        to="/events"
        search={((all: object) => all) as never}
        className="button quiet icon-only"
        aria-label="Back to events"
      >
        <Icon name="left" />
      </Link>
      <span className="line tight nowrap">
        Call <Id id={id} head={13} tail={0} />
      </span>
      {of > 1 && (
        <span className="line tight nowrap meta wide-only">
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
          {at} of {of}
        </span>
      )}
    </span>
  );
}

function useOthers(event: CallEvent): readonly CallEvent[] {
  const requestId = event.request_id;
  const { data } = useQuery({
    queryKey: ['events', 'of-request', requestId, event.app.id],
    queryFn: () => get<Paged<CallEvent>>('/v1/events', { request_id: requestId ?? '', app: event.app.id, limit: 20 }),
    enabled: requestId !== null,
  });
  return (data?.data ?? [])
    .filter(({ id, type }) => id !== event.id && (type === 'ai.response' || type === 'ai.error'))
    .reverse();
}

function Call({ event }: { readonly event: CallEvent }): ReactNode {
  const [tab, setTab] = useState<Tab>('Conversation');
  const [isTesting, setTesting] = useState(false);
  const others = useOthers(event);
  const canExplain = useFeature('events.explain');
  const canTest = useFeature('events.test');
  const canMark = useFeature('marks');
  const tools = toolFacts(event);
  const tabs = TABS.filter((each) => (each !== 'Why' || canExplain) && (each !== 'Tools' || tools.length > 0));
  const keys = Object.fromEntries(tabs.map((each, index) => [String(index + 1), () => setTab(each)]));
  usePageKeys({ ...keys, ...(canTest ? { m: () => setTesting(true) } : {}) });
  const answer = others.find(({ type }) => type === 'ai.response');
  return (
    <div className="call">
      <div className="call-main">
        <Verdict event={event} />
        <div className="tabs" role="tablist" aria-label="About this call">
          {tabs.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              id={`tab-${each}`}
              aria-selected={tab === each}
              aria-controls="tab-panel"
              onClick={() => setTab(each)}
            >
              {each}
              {each === 'Tools' && <span className="dim">{tools.length}</span>}
            </button>
          ))}
        </div>
        <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
          {tab === 'Conversation' && <Conversation event={event} others={event.type === 'ai.request' ? others : []} />}
          {tab === 'Why' && <Why event={event} />}
          {tab === 'Facts' && <FactsTable event={event} />}
          {tab === 'Tools' && (
            <pre className="snippet" tabIndex={0}>
              {JSON.stringify(tools, null, 2)}
            </pre>
          )}
          {tab === 'Raw' && <RawRecord event={event} />}
        </div>
      </div>
      <aside className="call-side" aria-label="Details">
        {(canMark || canTest) && (
          <MarkBar event={event} canMark={canMark} test={canTest ? () => setTesting(true) : undefined} />
        )}
        <CallSide event={event} answer={answer} />
      </aside>
      {isTesting && <TestDialog event={event} close={() => setTesting(false)} />}
    </div>
  );
}

function toolFacts({ facts }: CallEvent): readonly unknown[] {
  const stages = facts?.['stages'];
  if (!Array.isArray(stages)) return [];
  return stages.flatMap((stage: unknown) => {
    const calls = (stage as { readonly facts?: { readonly tool_calls?: unknown } }).facts?.tool_calls;
    return Array.isArray(calls) ? (calls as unknown[]) : [];
  });
}
