/** One call: the decisions on its request and its answers, its texts, and its other data. */
import { useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { isSettled, useFeature } from '../api/queries.ts';
import type { CallEvent } from '../api/types.ts';
import { Part, Skeleton } from '../parts/block.tsx';
import { usePageKeys } from '../shell/keys.ts';
import { useSearchParams, useSetSearch } from '../shell/view.ts';
import { EventChoice } from './call-event-choice.tsx';
import { firedIn, isJudged, judgedEvents, titledEvents, wholeCall } from './call-events.ts';
import { CallSide } from './call-side.tsx';
import { CallVerdict } from './call-verdict.tsx';
import { Conversation } from './conversation-view.tsx';
import { toolFacts, toolsText } from './fact-rows.ts';
import { FactsTable } from './facts-table.tsx';
import { MarkBar } from './marks.tsx';
import { TAB_OF_CALL } from './neighbours.ts';
import { RawRecord } from './raw-record.tsx';
import { TestDialog } from './test-dialog.tsx';
import { useEnds } from './use-ends.ts';
import { Verdict } from './verdict.tsx';
import { Explanations } from './explanation.tsx';

const TABS = ['Conversation', 'Explanation', 'Facts', 'Tools', 'Raw'] as const;
type Tab = (typeof TABS)[number];
/** The tab as a parameter of the URL. */
const wordOf = (tab: Tab): string => tab.toLowerCase();

const NO_ENDS: readonly CallEvent[] = [];

interface CallProps {
  readonly event: CallEvent;
  /** Shown next to a list, without the panel of details. */
  readonly plain?: boolean;
}

/** Rendered when the answers are known, or could not be loaded: they decide what the page says about the call. */
export function Call({ event, plain = false }: CallProps): ReactNode {
  const ends = useEnds(event.id);
  const wasSettled = useRef(false);
  if (isSettled(ends)) wasSettled.current = true;
  if (!wasSettled.current) {
    return (
      <div className="inset">
        <Skeleton height={320} />
      </div>
    );
  }
  return <KnownCall event={event} plain={plain} ends={ends} />;
}

interface KnownCallProps extends Required<CallProps> {
  readonly ends: ReturnType<typeof useEnds>;
}

function KnownCall({ event, plain, ends }: KnownCallProps): ReactNode {
  const search = useSearchParams();
  const setSearch = useSetSearch();
  const [isTesting, setTesting] = useState(false);
  const later = ends.data?.events ?? NO_ENDS;
  const canExplain = useFeature('events.explain');
  const canTest = useFeature('events.test');
  const canMark = useFeature('marks');
  const tools = [event, ...later].flatMap(toolFacts);
  const tabs = TABS.filter((each) => (each !== 'Explanation' || canExplain) && (each !== 'Tools' || tools.length > 0));
  const tab = tabs.find((each) => wordOf(each) === search[TAB_OF_CALL]) ?? 'Conversation';
  const setTab = (each: Tab): void =>
    setSearch({ [TAB_OF_CALL]: each === 'Conversation' ? undefined : wordOf(each) }, true);
  const keys = Object.fromEntries(tabs.map((each, index) => [String(index + 1), () => setTab(each)]));
  usePageKeys({ ...keys, ...(canTest ? { m: () => setTesting(true) } : {}) });
  const call = wholeCall(event, later);
  return (
    <div className={plain ? 'call plain' : 'call'}>
      <div className="call-main">
        {ends.data === undefined && isJudged(event) && <Verdict event={event} />}
        <Part what="the answer of this call" query={ends}>
          {() => <CallVerdict call={call} event={event} ends={later} />}
        </Part>
        {ends.data?.isCut === true && <p className="notice">This call has more answers than are shown here.</p>}
        <Tabs tabs={tabs} tab={tab} choose={setTab} tools={tools.length} />
        <Panel tab={tab} event={event} ends={later} tools={tools} />
      </div>
      {!plain && (
        <aside className="call-side" aria-label="Details">
          {(canMark || canTest) && (
            <MarkBar
              event={event}
              violations={call.violations}
              canMark={canMark}
              test={canTest ? () => setTesting(true) : undefined}
            />
          )}
          <CallSide event={event} call={call} ends={ends.data?.events} />
        </aside>
      )}
      {isTesting && <TestDialog event={firedIn(event, later)} close={() => setTesting(false)} />}
    </div>
  );
}

interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly tab: Tab;
  readonly choose: (tab: Tab) => void;
  /** The number of tool calls. */
  readonly tools: number;
}

/** The arrow keys change the tab, as screen readers announce for tabs. */
function Tabs({ tabs, tab, choose, tools }: TabsProps): ReactNode {
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const next = step === undefined ? undefined : tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    event.preventDefault();
    // On the page of a session, the same keys fold its steps.
    event.stopPropagation();
    choose(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label="About this call" onKeyDown={press}>
      {tabs.map((each) => (
        <button
          key={each}
          type="button"
          role="tab"
          id={`tab-${each}`}
          aria-selected={tab === each}
          aria-controls="tab-panel"
          onClick={() => choose(each)}
        >
          {each}
          {each === 'Tools' && <span className="dim">{tools}</span>}
        </button>
      ))}
    </div>
  );
}

interface PanelProps {
  readonly tab: Tab;
  readonly event: CallEvent;
  readonly ends: readonly CallEvent[];
  readonly tools: readonly unknown[];
}

function Panel({ tab, event, ends, tools }: PanelProps): ReactNode {
  // Facts and Raw show the same event, so that it is chosen once for both.
  const [chosen, choose] = useState(event.id);
  const all = [event, ...ends];
  const shown = all.find(({ id }) => id === chosen) ?? event;
  return (
    <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`} className="stack">
      {(tab === 'Facts' || tab === 'Raw') && (
        <EventChoice events={titledEvents(all)} shown={shown.id} choose={choose} />
      )}
      {tab === 'Conversation' && <Conversation event={event} others={ends} />}
      {tab === 'Explanation' && <Explanations events={judgedEvents(event, ends)} />}
      {tab === 'Facts' && <FactsTable key={shown.id} event={shown} />}
      {tab === 'Tools' && (
        <pre className="snippet" tabIndex={0}>
          {toolsText(tools)}
        </pre>
      )}
      {tab === 'Raw' && <RawRecord key={shown.id} event={shown} />}
    </div>
  );
}
