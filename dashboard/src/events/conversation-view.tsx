import type { ReactNode } from 'react';
import type { CallEvent } from '../api/types.ts';
import { Empty } from '../parts/block.tsx';
import { counted } from '../parts/format.ts';
import { visible } from '../parts/text.tsx';
import { contentsOf, fileWords, type Contents } from './conversation-files.ts';
import type { Part, ResultPart } from './conversation-parts.ts';
import { turnsOf, type Turn } from './conversation.ts';
import { stageFacts } from './detector-scores.ts';
import { JsonText } from './json-text.tsx';
import { MarkedText } from './marked-text.tsx';
import { kindOf, type MaskDetails } from './masks.ts';
import { failureOf } from './verdict.tsx';

interface ConversationProps {
  readonly event: CallEvent;
  /** The answers to a request, and the errors. */
  readonly others: readonly CallEvent[];
}

const SHOWN_TURNS = 12;

export function Conversation({ event, others }: ConversationProps): ReactNode {
  if (event.capture === 'none') {
    return <Empty>This environment stores no texts (content: none), only facts.</Empty>;
  }
  const turns = turnsOf(event.payload);
  const early = turns.slice(0, Math.max(0, turns.length - SHOWN_TURNS));
  const late = turns.slice(early.length);
  const isBlocked = event.decision === 'block';
  const show = (list: readonly Turn[], from: CallEvent): ReactNode => {
    const of = { details: maskDetailsOf(from), contents: contentsOf(from) };
    return list.map((turn, index) => <TurnView key={index} turn={turn} {...of} />);
  };
  return (
    <div className="conversation" onCopy={copyStored}>
      {turns.length === 0 && <Empty>There is no text in this event.</Empty>}
      {early.length > 0 && (
        <details>
          <summary>{counted(early.length, 'earlier message')}</summary>
          {show(early, event)}
        </details>
      )}
      {show(late, event)}
      {others.map((other) => (
        <div key={other.id}>
          {other.type === 'ai.error' ? (
            <p className="turn">
              <span className="role">Error</span>
              <span>{failureOf(other)}</span>
            </p>
          ) : (
            show(turnsOf(other.payload), other)
          )}
        </div>
      ))}
      <LeftOut events={[event, ...others]} />
      {isBlocked && event.type === 'ai.request' && (
        <p className="turn">
          <span className="role" />
          <span className="dim">
            {event.reason === 'guardrail_unavailable'
              ? 'Stopped here: facts that the rules need could not be determined. No rule was violated.'
              : 'Stopped here. The provider was not called.'}
          </span>
        </p>
      )}
    </div>
  );
}

function LeftOut({ events }: { readonly events: readonly CallEvent[] }): ReactNode {
  const count = events.reduce((sum, event) => sum + event.masks_left_out, 0);
  if (count === 0) return null;
  return (
    <p className="meta">
      {count.toLocaleString()} more {count === 1 ? 'place is' : 'places are'} masked, but not highlighted here.
    </p>
  );
}

function maskDetailsOf(event: CallEvent): MaskDetails {
  const versions = new Map(event.detectors.map(({ key, version }) => [key, version]));
  return {
    masks: event.masks ?? [],
    kindOf: (mask) => kindOf(mask, event),
    versionOf: (detector) => versions.get(detector),
    facts: stageFacts(event.facts),
    event,
  };
}

/** Parts with lines of their own; between two turns is an empty line. The text of a copy has no other line breaks. */
const LINES = 'p, pre, summary, .role, .turn';

/** Copies the stored text, such as `[EMAIL]`, instead of the chip's label. */
function copyStored(event: React.ClipboardEvent): void {
  const selection = window.getSelection();
  if (selection === null || selection.rangeCount === 0) return;
  const copy = selection.getRangeAt(0).cloneContents();
  const chips = copy.querySelectorAll<HTMLElement>('[data-copy]');
  if (chips.length === 0) return;
  for (const chip of chips) chip.replaceWith(document.createTextNode(chip.dataset['copy'] ?? ''));
  for (const line of copy.querySelectorAll(LINES)) line.append('\n');
  event.clipboardData.setData('text/plain', copy.textContent.replace(/\n+$/, ''));
  event.preventDefault();
}

interface OfEvent {
  readonly details: MaskDetails;
  readonly contents: Contents;
}

interface TurnProps extends OfEvent {
  readonly turn: Turn;
}

function TurnView({ turn, ...of }: TurnProps): ReactNode {
  const role = turn.role.slice(0, 24).replaceAll('_', ' ');
  return (
    <div className="turn">
      <span className="role">{visible(role.charAt(0).toUpperCase() + role.slice(1))}</span>
      <div className={turn.role === 'system' ? 'said dim' : 'said'}>
        {turn.parts.map((part, index) => (
          <PartView key={index} part={part} {...of} />
        ))}
      </div>
    </div>
  );
}

interface PartProps extends OfEvent {
  readonly part: Part;
}

function PartView({ part, ...of }: PartProps): ReactNode {
  const { details, contents } = of;
  switch (part.kind) {
    case 'text':
      return (
        <p className="text">
          <MarkedText text={part.text} path={part.path} details={details} />
        </p>
      );
    case 'reasoning':
      return (
        <details>
          <summary>Reasoning</summary>
          <p className="text dim">
            <MarkedText text={part.text} path={part.path} details={details} />
          </p>
        </details>
      );
    case 'tool':
      return (
        <details className="tool">
          <summary>
            <span className="mono">{visible(part.name)}</span>(…)
          </summary>
          <Data value={part.value} path={part.path} details={details} />
        </details>
      );
    case 'value':
      return part.name === undefined ? (
        <Data value={part.value} path={part.path} details={details} />
      ) : (
        <details className="tool">
          <summary className="mono">{visible(part.name)}</summary>
          <Data value={part.value} path={part.path} details={details} />
        </details>
      );
    case 'result':
      return <Result result={part} {...of} />;
    case 'file':
      return <p className="dim">{visible(fileWords(part, contents))}</p>;
    case 'other':
      return <p className="dim">{visible(part.name)}, not shown here</p>;
  }
}

interface DataProps {
  readonly value: unknown;
  readonly path: string;
  readonly details: MaskDetails;
}

function Data(data: DataProps): ReactNode {
  return (
    <pre className="snippet" tabIndex={0}>
      <JsonText {...data} />
    </pre>
  );
}

interface ResultProps extends OfEvent {
  readonly result: ResultPart;
}

/** The result of a tool: a text by somebody else, such as a web page, so it is quoted with its source. */
function Result({ result: { from, parts }, ...of }: ResultProps): ReactNode {
  return (
    <div className="quoted">
      <p className="meta">
        Result of {from === undefined ? 'a tool' : <span className="mono">{visible(from)}</span>}
        {parts.length === 0 && ': empty'}
      </p>
      {parts.map((part, index) => (
        <PartView key={index} part={part} {...of} />
      ))}
    </div>
  );
}
