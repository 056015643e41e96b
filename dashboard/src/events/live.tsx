/** Adds new events to the list while a person watches, and reports failures. */
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ApiError, canBeFollowed, searchOf, type Query } from '../api/client.ts';
import { pauseMs } from '../api/reconnect.ts';
import { failureWords } from '../parts/block.tsx';
import type { ListedEvent } from './use-events.ts';

export type LiveState = 'off' | 'connecting' | 'live' | 'lost';

/** Why the event stream is not connected, and when the next attempt starts. */
interface Refusal {
  readonly words: string;
  readonly untilMs: number;
}

export interface Live {
  readonly rows: readonly ListedEvent[];
  readonly state: LiveState;
  readonly refusal: Refusal | null;
}

const LIVE_ROWS = 2_000;
const FLUSH_MS = 250;
const WAIT_S = 10;
const TYPES = ['ai.request', 'ai.response', 'ai.error', 'agent.tool_call', 'policy.violation', 'budget.exceeded'];

interface Kept {
  /** The query that selected the rows. */
  readonly search: string;
  readonly rows: readonly ListedEvent[];
}

const NONE: Kept = { search: '', rows: [] };

/**
 * Follows the service's stream of new events, newest first. Events are added in batches every 250 ms, so that the list does not flicker.
 * When it is switched off, its rows stay until the list contains them.
 *
 * @param load loads the list again, and reports whether this succeeded. It is also called when the stream continues after a refusal, for
 * the events received in the meantime
 */
export function useLive(isOn: boolean, query: Query, load: () => Promise<boolean>): Live {
  const [kept, setKept] = useState(NONE);
  const [state, setState] = useState<LiveState>('off');
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const waiting = useRef<ListedEvent[]>([]);
  const loadList = useRef(load);
  loadList.current = load;
  const wasOn = useRef(false);
  const search = searchOf(query);
  useEffect(() => {
    setRefusal(null);
    if (!isOn) {
      setState('off');
      if (!wasOn.current) return undefined;
      wasOn.current = false;
      let isOver = false;
      void loadList.current().then((isLoaded) => isLoaded && !isOver && setKept(NONE));
      return () => {
        isOver = true;
      };
    }
    wasOn.current = true;
    setKept({ search, rows: [] });
    const path = `/v1/events/tail${search}`;
    const stop = followed(path, {
      take: (event) => void waiting.current.push(event),
      tell: (now, why) => {
        setState(now);
        setRefusal(why);
      },
      missed: () => void loadList.current(),
    });
    const timer = window.setInterval(() => {
      // While the page is hidden, events wait, and only the newest are kept.
      if (document.hidden) {
        waiting.current = waiting.current.slice(-LIVE_ROWS);
        return;
      }
      const added = waiting.current.splice(0);
      if (added.length === 0) return;
      setKept(({ rows }) => ({ search, rows: [...added.reverse(), ...rows].slice(0, LIVE_ROWS) }));
    }, FLUSH_MS);
    return () => {
      stop();
      window.clearInterval(timer);
      waiting.current = [];
    };
  }, [isOn, search]);
  // Rows of earlier filters are not shown under the present ones.
  return { rows: kept.search === search ? kept.rows : NONE.rows, state, refusal };
}

interface Follower {
  readonly take: (event: ListedEvent) => void;
  readonly tell: (state: LiveState, refusal: Refusal | null) => void;
  readonly missed: () => void;
}

/** @returns a function that closes the stream */
function followed(path: string, { take, tell, missed }: Follower): () => void {
  const left = new AbortController();
  let source: EventSource | undefined;
  let timer: number | undefined;
  // Consecutive refusals: if the check succeeds but the stream is refused, retries become less frequent.
  let refusals = 0;
  const open = (): void => {
    source = new EventSource(path);
    source.onopen = () => tell('live', null);
    source.onerror = () => {
      tell('lost', null);
      // The browser reconnects a broken connection itself, but not a refused one.
      if (source?.readyState !== EventSource.CLOSED) return;
      if (refusals++ === 0) void look();
      else wait(pauseMs(refusals - 2), 'New events cannot be shown live now.');
    };
    for (const type of TYPES)
      source.addEventListener(type, (event: MessageEvent<string>) => {
        refusals = 0;
        take(JSON.parse(event.data) as ListedEvent);
      });
  };
  const wait = (ms: number, words: string): void => {
    tell('lost', { words, untilMs: Date.now() + ms });
    timer = window.setTimeout(() => void look(), ms);
  };
  const look = async (): Promise<void> => {
    try {
      await canBeFollowed(path, left.signal);
      if (left.signal.aborted) return;
      missed();
      open();
    } catch (error) {
      if (left.signal.aborted || !(error instanceof Error)) return;
      const seconds = (error instanceof ApiError ? error.retryAfterSeconds : null) ?? WAIT_S;
      wait(seconds * 1000, refusalWords(error));
    }
  };
  tell('connecting', null);
  open();
  return () => {
    left.abort();
    source?.close();
    window.clearTimeout(timer);
  };
}

function refusalWords(error: Error): string {
  if (error instanceof ApiError && error.status === 429) return 'Too many live lists are open on this server.';
  return `New events cannot be shown live. ${failureWords(error).words}`;
}

export function LiveRefused({ refusal }: { readonly refusal: Refusal }): ReactNode {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), 1000);
    return () => window.clearInterval(timer);
  }, [refusal]);
  const seconds = Math.max(0, Math.ceil((refusal.untilMs - now) / 1000));
  return (
    <p className="notice amber" role="status">
      {refusal.words}{' '}
      <span className="tab-nums" aria-hidden="true">
        Next attempt in {seconds} s.
      </span>
    </p>
  );
}
