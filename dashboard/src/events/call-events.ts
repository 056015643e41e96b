/** The events of one call: what was decided about each of them, and the call as one record, as lists show it. */
import type { CallEvent } from '../api/types.ts';
import { withEnd } from './live-rows.ts';

/** An event of a call with the title of its part of the page. */
export interface TitledEvent {
  readonly title: string;
  readonly event: CallEvent;
}

const TITLES: Readonly<Partial<Record<CallEvent['type'], string>>> = {
  'ai.request': 'Request',
  'ai.response': 'Answer',
  'ai.error': 'Error',
  'agent.tool_call': 'Tool call',
};

const isEnd = ({ type }: CallEvent): boolean => type === 'ai.response' || type === 'ai.error';

/** The answers and errors of the call that begins with the event of this id, oldest first. @param events of the call, newest first */
export function endsOf(id: string, events: readonly CallEvent[]): readonly CallEvent[] {
  return events.filter((each) => each.id !== id && isEnd(each)).reverse();
}

/** Whether something was decided about an event: it was refused or changed, a rule fired, or an exception applied. */
export function isJudged({ decision, violations, excepted }: CallEvent): boolean {
  return decision === 'block' || decision === 'redact' || violations.length > 0 || excepted.length > 0;
}

/** The events of a call that need a verdict: the first one, and each answer or error about which something was decided. */
export function judgedEvents(first: CallEvent, ends: readonly CallEvent[]): readonly TitledEvent[] {
  return titledEvents([first, ...ends.filter(isJudged)]);
}

/** Events of a call with titles that distinguish them, such as `Answer 1` and `Answer 2`. */
export function titledEvents(events: readonly CallEvent[]): readonly TitledEvent[] {
  const titles = events.map(({ type }) => TITLES[type] ?? 'Event');
  const totals = new Map<string, number>();
  for (const title of titles) totals.set(title, (totals.get(title) ?? 0) + 1);
  const seen = new Map<string, number>();
  return events.map((event, index) => {
    const title = titles[index] ?? 'Event';
    const nth = (seen.get(title) ?? 0) + 1;
    seen.set(title, nth);
    return { title: totals.get(title) === 1 ? title : `${title} ${nth}`, event };
  });
}

/**
 * The call as lists show it: the strongest outcome, the violations, the costs and the tokens of all its events, and the times of its last
 * one.
 */
export function wholeCall(first: CallEvent, ends: readonly CallEvent[]): CallEvent {
  return ends.reduce<CallEvent>(withEnd, first);
}

/** The event of a call in which a rule fired; the first one if there is none. */
export function firedIn(first: CallEvent, ends: readonly CallEvent[]): CallEvent {
  return [first, ...ends].find(({ violations }) => violations.length > 0) ?? first;
}
