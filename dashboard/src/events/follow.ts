/** Follows the service's stream of new events, and opens it again after a failure. It does not know the list to which events are added. */
import type { ListedEvent } from './use-events.ts';

export type LiveState = 'off' | 'connecting' | 'live' | 'lost';

/** Why the event stream is not connected, and when the next attempt starts. */
export interface Refusal {
  readonly words: string;
  readonly untilMs: number;
}

interface Follower {
  readonly take: (event: ListedEvent) => void;
  readonly report: (state: LiveState, refusal: Refusal | null) => void;
  /** The stream was opened, and begins now: events from before are not in it. */
  readonly opened: () => void;
}

interface Ways {
  /** Checks whether the stream can be opened now. */
  readonly look: (signal: AbortSignal) => Promise<void>;
  readonly refusalOf: (error: Error) => { readonly words: string; readonly ms: number };
  readonly pauseMs: (attempt: number) => number;
}

const TYPES = ['ai.request', 'ai.response', 'ai.error', 'agent.tool_call', 'policy.violation', 'budget.exceeded'];

/** @returns a function that closes the stream */
export function followed(path: string, { take, report, opened }: Follower, ways: Ways): () => void {
  const left = new AbortController();
  let source: EventSource | undefined;
  let timer: number | undefined;
  // Consecutive refusals: if the check succeeds but the stream is refused, retries become less frequent.
  let refusals = 0;
  const open = (): void => {
    // The browser continues a broken stream after the last event that it received; before the first one, it begins anew.
    let canContinue = false;
    source = new EventSource(path);
    source.onopen = () => {
      report('live', null);
      if (!canContinue) opened();
    };
    source.onerror = () => {
      report('lost', null);
      // The browser reconnects a broken connection itself, but not a refused one.
      if (source?.readyState !== EventSource.CLOSED) return;
      if (refusals++ === 0) void look();
      else wait(ways.pauseMs(refusals - 2), 'New events cannot be shown live now.');
    };
    for (const type of TYPES)
      source.addEventListener(type, (event: MessageEvent<string>) => {
        refusals = 0;
        canContinue = true;
        take(JSON.parse(event.data) as ListedEvent);
      });
  };
  const wait = (ms: number, words: string): void => {
    report('lost', { words, untilMs: Date.now() + ms });
    timer = window.setTimeout(() => void look(), ms);
  };
  const look = async (): Promise<void> => {
    try {
      await ways.look(left.signal);
      if (!left.signal.aborted) open();
    } catch (error) {
      if (left.signal.aborted || !(error instanceof Error)) return;
      const { words, ms } = ways.refusalOf(error);
      wait(ms, words);
    }
  };
  report('connecting', null);
  open();
  return () => {
    left.abort();
    source?.close();
    window.clearTimeout(timer);
  };
}
