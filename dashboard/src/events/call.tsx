/** One call: its decision, its texts, and its other data. */
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { get } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import type { CallEvent, Page as Paged } from '../api/types.ts';
import { usePageKeys } from '../shell/keys.ts';
import { CallSide } from './call-side.tsx';
import { Conversation } from './conversation-view.tsx';
import { FactsTable } from './facts-table.tsx';
import { MarkBar } from './marks.tsx';
import { RawRecord } from './raw-record.tsx';
import { TestDialog } from './test-dialog.tsx';
import { Verdict } from './verdict.tsx';
import { Explanation } from './explanation.tsx';

const TABS = ['Conversation', 'Explanation', 'Facts', 'Tools', 'Raw'] as const;
type Tab = (typeof TABS)[number];

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

interface CallProps {
  readonly event: CallEvent;
  /** Shown next to a list, without the panel of details. */
  readonly plain?: boolean;
}

export function Call({ event, plain = false }: CallProps): ReactNode {
  const [tab, setTab] = useState<Tab>('Conversation');
  const [isTesting, setTesting] = useState(false);
  const others = useOthers(event);
  const canExplain = useFeature('events.explain');
  const canTest = useFeature('events.test');
  const canMark = useFeature('marks');
  const tools = toolFacts(event);
  const tabs = TABS.filter((each) => (each !== 'Explanation' || canExplain) && (each !== 'Tools' || tools.length > 0));
  const keys = Object.fromEntries(tabs.map((each, index) => [String(index + 1), () => setTab(each)]));
  usePageKeys({ ...keys, ...(canTest ? { m: () => setTesting(true) } : {}) });
  const answer = others.find(({ type }) => type === 'ai.response');
  const error = answer === undefined ? others.find(({ type }) => type === 'ai.error') : undefined;
  return (
    <div className={plain ? 'call plain' : 'call'}>
      <div className="call-main">
        <Verdict event={event} error={event.type === 'ai.request' ? error : undefined} />
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
          {tab === 'Explanation' && <Explanation event={event} />}
          {tab === 'Facts' && <FactsTable event={event} />}
          {tab === 'Tools' && (
            <pre className="snippet" tabIndex={0}>
              {JSON.stringify(tools, null, 2)}
            </pre>
          )}
          {tab === 'Raw' && <RawRecord event={event} />}
        </div>
      </div>
      {!plain && (
        <aside className="call-side" aria-label="Details">
          {(canMark || canTest) && (
            <MarkBar event={event} canMark={canMark} test={canTest ? () => setTesting(true) : undefined} />
          )}
          <CallSide event={event} answer={answer} />
        </aside>
      )}
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
