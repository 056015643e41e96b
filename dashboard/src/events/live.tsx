/** Adds new events to the list while a person watches, and reports failures. */
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { ApiError, canBeFollowed, searchOf, type Query } from '../api/client.ts';
import { pauseMs } from '../api/reconnect.ts';
import { failureWords } from '../parts/block.tsx';
import { followed, type LiveState, type Refusal } from './follow.ts';
import { EMPTY_RING, ringWith, type Ring } from './live-rows.ts';
import type { ListedEvent } from './use-events.ts';

export interface Live {
  readonly rows: readonly ListedEvent[];
  /** The highest id of the rows that arrived, but are no longer kept. */
  readonly dropped: string | undefined;
  readonly state: LiveState;
  readonly refusal: Refusal | null;
  /** The list could not be loaded when the stream was opened: events between the two are missing. */
  readonly isBehind: boolean;
  /** Loads the newest part of the list again. */
  readonly catchUp: () => void;
}

const LIVE_ROWS = 2_000;
const FLUSH_MS = 250;
const WAIT_S = 10;

interface Kept {
  /** The filters that selected the rows. */
  readonly key: string;
  readonly ring: Ring;
}

const NONE: Kept = { key: '', ring: EMPTY_RING };

/** The followed stream of events, and the rows for which it is followed. */
interface Followed {
  /** The query of the stream. */
  readonly query: Query;
  /** Identifies the rows: for others, the stream begins anew, although its query may be the same. */
  readonly key: string;
  /** The ids of the events that rows are made of; undefined: all. */
  readonly neededOf: ((events: readonly ListedEvent[]) => ReadonlySet<string>) | undefined;
}

/** Each loads a part of the list again, and reports whether this succeeded. */
interface Loads {
  /** Everything that is shown: for rows that are no longer followed. */
  readonly all: () => Promise<boolean>;
  /** The newest events: for those that were received before the stream was opened, and after the list was loaded. */
  readonly newest: () => Promise<boolean>;
}

/**
 * Follows the service's stream of new events, newest first. Events are added in batches every 250 ms, so that the list does not flicker.
 * When it is switched off, its rows stay until the list contains them.
 */
export function useLive(isOn: boolean, { query, key, neededOf }: Followed, loads: Loads): Live {
  const [kept, setKept] = useState(NONE);
  const [state, setState] = useState<LiveState>('off');
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [isBehind, setBehind] = useState(false);
  const waiting = useRef<ListedEvent[]>([]);
  const loadsNow = useRef(loads);
  loadsNow.current = loads;
  const neededNow = useRef(neededOf);
  neededNow.current = neededOf;
  const catchUp = useRef<() => void>(() => undefined);
  const wasOn = useRef(false);
  const search = searchOf(query);
  useEffect(() => {
    setRefusal(null);
    setBehind(false);
    let isOver = false;
    const over = (): void => {
      isOver = true;
    };
    if (!isOn) {
      setState('off');
      if (!wasOn.current) return undefined;
      wasOn.current = false;
      void loadsNow.current.all().then((isLoaded) => isLoaded && !isOver && setKept(NONE));
      return over;
    }
    wasOn.current = true;
    setKept({ key, ring: EMPTY_RING });
    catchUp.current = () => void loadsNow.current.newest().then((isLoaded) => !isOver && setBehind(!isLoaded));
    const path = `/v1/events/tail${search}`;
    const follower = {
      take: (event: ListedEvent) => void waiting.current.push(event),
      report: (now: LiveState, why: Refusal | null) => {
        setState(now);
        setRefusal(why);
      },
      opened: () => catchUp.current(),
    };
    const stop = followed(path, follower, { look: (signal) => canBeFollowed(path, signal), refusalOf, pauseMs });
    const timer = window.setInterval(() => {
      // While the page is hidden, events wait until there are more of them than are kept.
      if (waiting.current.length === 0 || (document.hidden && waiting.current.length < LIVE_ROWS)) return;
      const added = waiting.current.splice(0).reverse();
      setKept(({ ring }) => ({ key, ring: ringWith(ring, added, LIVE_ROWS, neededNow.current) }));
    }, FLUSH_MS);
    return () => {
      over();
      stop();
      window.clearInterval(timer);
      waiting.current = [];
    };
  }, [isOn, search, key]);
  // Rows of earlier filters are not shown under the present ones.
  const { rows, dropped } = kept.key === key ? kept.ring : EMPTY_RING;
  return { rows, dropped, state, refusal, isBehind, catchUp: () => catchUp.current() };
}

function refusalOf(error: Error): { readonly words: string; readonly ms: number } {
  const seconds = (error instanceof ApiError ? error.retryAfterSeconds : null) ?? WAIT_S;
  return { words: refusalWords(error), ms: seconds * 1000 };
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
