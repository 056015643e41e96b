import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { CallEvent } from '../api/types.ts';
import { OutcomeBadge, outcomeOf } from './outcome.tsx';
import { Time } from './small.tsx';

interface EventRowsProps {
  readonly events: readonly CallEvent[];
  /** The content of a row apart from the outcome and the time of its event. */
  readonly says: (event: CallEvent) => ReactNode;
}

/** A few events, each as a link to it. */
export function EventRows({ events, says }: EventRowsProps): ReactNode {
  return (
    <ul className="rows">
      {events.map((event) => (
        <li key={event.id}>
          <OutcomeBadge outcome={outcomeOf(event)} />
          <Link to="/events/$id" params={{ id: event.id }} className="cut">
            {says(event)}
          </Link>
          <span className="meta">
            <Time at={event.received_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}
