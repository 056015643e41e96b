/** A draft of an exception for calls like this one, to be copied into the policy: the dashboard changes nothing. */
import { useState, type ReactNode } from 'react';
import type { CallEvent } from '../api/types.ts';
import Dialog from '../parts/dialog.tsx';
import { CopyButton, Field } from '../parts/small.tsx';
import { useMe } from '../api/queries.ts';
import { isLocalInput, LAST_DAY } from '../parts/zone.ts';

interface DraftProps {
  readonly event: CallEvent;
  readonly rule: string;
  /** The note that was entered when the hit was marked wrong. */
  readonly note: string;
  readonly close: () => void;
}

const DAY_MS = 86_400_000;
const DAYS = 30;
/** Whether a day is typed completely, with a year of four digits. */
const isDay = (text: string): boolean => isLocalInput(`${text}T00:00`);

export default function ExceptionDraft({ event, rule, note, close }: DraftProps): ReactNode {
  const person = useMe().data?.person;
  const [because, setBecause] = useState(note);
  const [ticket, setTicket] = useState('');
  const [ends, setEnds] = useState(() => new Date(Date.now() + DAYS * DAY_MS).toISOString().slice(0, 10));
  const yaml = draftOf({ event, rule, because, ticket, ends, approvedBy: person?.email ?? '' });
  return (
    <Dialog title="Draft an exception" close={close} size={640}>
      <div className="stack">
        <p className="meta">
          For calls of this app to this model. Put the exception into the policy of {event.environment}, and have the
          change reviewed and deployed like any other change.
        </p>
        <Field label="Reason why the rule should not apply">
          <input
            className="input"
            data-autofocus
            dir="auto"
            maxLength={500}
            value={because}
            onChange={({ target }) => setBecause(target.value)}
          />
        </Field>
        <Field label="Ticket">
          <input className="input" maxLength={80} value={ticket} onChange={({ target }) => setTicket(target.value)} />
        </Field>
        <Field label="Last day (UTC)" problem={isDay(ends) ? undefined : 'An exception needs a last day.'}>
          <input
            className="input"
            type="date"
            max={LAST_DAY}
            value={ends}
            onChange={({ target }) => setEnds(target.value)}
          />
        </Field>
        {isDay(ends) && (
          <>
            <pre className="snippet tall" tabIndex={0} aria-label="The exception">
              {yaml}
            </pre>
            <div className="line">
              <CopyButton key={yaml} text={yaml}>
                Copy
              </CopyButton>
            </div>
          </>
        )}
      </div>
    </Dialog>
  );
}

interface Draft {
  readonly event: CallEvent;
  readonly rule: string;
  readonly because: string;
  readonly ticket: string;
  readonly ends: string;
  readonly approvedBy: string;
}

/** JSON strings are valid YAML, so a name may contain any characters. */
function draftOf({ event, rule, because, ticket, ends, approvedBy }: Draft): string {
  const text = (value: string): string => JSON.stringify(value);
  const when = [
    `{ app.name: { eq: ${text(event.app.name ?? event.app.id)} } }`,
    ...(event.model === null ? [] : [`{ model.name: { eq: ${text(event.model)} } }`]),
  ];
  return [
    'exceptions:',
    // The event's id distinguishes exceptions that end on the same day.
    `  - id: EX-${ends.replaceAll('-', '')}-${event.id.slice(-4)}`,
    `    rules: [${text(rule)}]`,
    `    when: { all: [${when.join(', ')}] }`,
    '    effect: monitor',
    `    because: ${text(because.trim() === '' ? 'Say why' : because.trim())}`,
    `    approved_by: ${text(approvedBy === '' ? 'who approves it' : approvedBy)}`,
    `    ticket: ${text(ticket.trim() === '' ? 'Name the ticket' : ticket.trim())}`,
    `    expires: ${ends}T23:59:59Z`,
    '',
  ].join('\n');
}
