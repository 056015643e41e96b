/** Chooses one of the events of a call, such as its request or its answer, for tabs that show a single event. */
import type { ReactNode } from 'react';
import { Segments } from '../parts/small.tsx';
import type { TitledEvent } from './call-events.ts';

/** A call may have many answers: more of them than this are in a list that opens. */
const MOST_SEGMENTS = 4;

interface ChoiceProps {
  readonly events: readonly TitledEvent[];
  /** The id of the shown event. */
  readonly shown: string;
  readonly choose: (id: string) => void;
}

export function EventChoice({ events, shown, choose }: ChoiceProps): ReactNode {
  if (events.length < 2) return null;
  if (events.length <= MOST_SEGMENTS)
    return (
      <Segments
        label="Event of the call"
        value={shown}
        options={events.map(({ title, event }) => [event.id, title] as const)}
        onChange={choose}
      />
    );
  return (
    <select
      className="input small"
      aria-label="Event of the call"
      value={shown}
      onChange={(change) => choose(change.target.value)}
    >
      {events.map(({ title, event }) => (
        <option key={event.id} value={event.id}>
          {title}
        </option>
      ))}
    </select>
  );
}
