import type { ReactNode } from 'react';
import type { CallEvent } from '../api/types.ts';
import { OutcomeBadge, outcomeOf, styleOf } from '../parts/outcome.tsx';
import { isJudged, judgedEvents } from './call-events.ts';
import { Verdict } from './verdict.tsx';

interface CallVerdictProps {
  /** All events of the call as one record. */
  readonly call: CallEvent;
  readonly event: CallEvent;
  readonly ends: readonly CallEvent[];
}

/** The decisions on a call: only on its request, or also on its answers, with the rules that fired in each. */
export function CallVerdict({ call, event, ends }: CallVerdictProps): ReactNode {
  const judged = judgedEvents(event, ends);
  const isAnswered = ends.some(({ type }) => type === 'ai.response');
  // An error about which something was decided has its own verdict.
  const error = isAnswered ? undefined : ends.find((each) => each.type === 'ai.error' && !isJudged(each));
  if (judged.length === 1) return <Verdict event={event} error={error} />;
  const outcome = outcomeOf(call);
  return (
    <div className="stack">
      <p className={`frame line ${styleOf(outcome)}`}>
        <OutcomeBadge outcome={outcome} />
        <span>The request and its answer were judged separately. This is the outcome of the call.</span>
      </p>
      {judged.map(({ title, event: each }) => (
        <section key={each.id} className="stack" aria-label={title}>
          <h2>{title}</h2>
          <Verdict event={each} error={each === event ? error : undefined} />
        </section>
      ))}
    </div>
  );
}
