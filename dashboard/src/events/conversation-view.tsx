import type { ReactNode } from 'react';
import type { CallEvent } from '../api/types.ts';
import { Empty } from '../parts/block.tsx';
import { visible } from '../parts/text.tsx';
import { turnsOf, type Part, type Turn } from './conversation.ts';
import { MarkedText, type Mask } from './marked-text.tsx';

interface ConversationProps {
  readonly event: CallEvent & { readonly masks?: readonly Mask[] | null };
  /** The answers to it, and the errors. */
  readonly others: readonly (CallEvent & { readonly masks?: readonly Mask[] | null })[];
}

const SHOWN_TURNS = 12;

export function Conversation({ event, others }: ConversationProps): ReactNode {
  if (event.capture === 'none') {
    return <Empty>No text is kept for this environment (content: none). The facts are.</Empty>;
  }
  const turns = turnsOf(event.payload);
  const early = turns.slice(0, Math.max(0, turns.length - SHOWN_TURNS));
  const late = turns.slice(early.length);
  const isBlocked = event.decision === 'block';
  const show = (list: readonly Turn[], from: CallEvent & { readonly masks?: readonly Mask[] | null }): ReactNode =>
    list.map((turn, index) => (
      <TurnView key={index} turn={turn} masks={from.masks ?? []} isBlocked={from.decision === 'block'} />
    ));
  return (
    <div className="conversation" onCopy={copyStored}>
      {turns.length === 0 && <Empty>There is no text in this event.</Empty>}
      {early.length > 0 && (
        <details>
          <summary>{early.length} earlier messages</summary>
          {show(early, event)}
        </details>
      )}
      {show(late, event)}
      {others.map((other) => (
        <div key={other.id}>
          {other.type === 'ai.error' ? (
            <p className="turn">
              <span className="role">Error</span>
              <span>
                The provider answered {other.upstream_status ?? 'nothing'}. {other.reason}
              </span>
            </p>
          ) : (
            show(turnsOf(other.payload), other)
          )}
        </div>
      ))}
      {isBlocked && event.type === 'ai.request' && (
        <p className="turn">
          <span className="role" />
          <span className="dim">
            {event.reason === 'guardrail_unavailable'
              ? 'Stopped here: what the rules need to know could not be found out. No rule was broken.'
              : 'Stopped here. The provider was not called.'}
          </span>
        </p>
      )}
    </div>
  );
}

/** Copies what is stored, `[EMAIL]`, and not the chip's label. */
function copyStored(event: React.ClipboardEvent): void {
  const selection = window.getSelection();
  if (selection === null || selection.rangeCount === 0) return;
  const copy = selection.getRangeAt(0).cloneContents();
  const chips = copy.querySelectorAll<HTMLElement>('[data-copy]');
  if (chips.length === 0) return;
  for (const chip of chips) chip.replaceWith(document.createTextNode(chip.dataset['copy'] ?? ''));
  event.clipboardData.setData('text/plain', copy.textContent);
  event.preventDefault();
}

interface TurnProps {
  readonly turn: Turn;
  readonly masks: readonly Mask[];
  readonly isBlocked: boolean;
}

function TurnView({ turn, masks, isBlocked }: TurnProps): ReactNode {
  return (
    <div className="turn">
      <span className="role">{visible(turn.role.charAt(0).toUpperCase() + turn.role.slice(1, 24))}</span>
      <div className={turn.role === 'system' ? 'said dim' : 'said'}>
        {turn.parts.map((part, index) => (
          <PartView key={index} part={part} masks={masks} isBlocked={isBlocked} />
        ))}
      </div>
    </div>
  );
}

function PartView({
  part,
  masks,
  isBlocked,
}: {
  readonly part: Part;
  readonly masks: readonly Mask[];
  readonly isBlocked: boolean;
}): ReactNode {
  switch (part.kind) {
    case 'text':
      return (
        <p className="text">
          <MarkedText text={part.text} path={part.path} masks={masks} isBlocked={isBlocked} />
        </p>
      );
    case 'tool':
      return (
        <details className="tool">
          <summary>
            <span className="mono">{visible(part.name)}</span>(…)
          </summary>
          <pre className="snippet" tabIndex={0}>
            {visible(part.text)}
          </pre>
        </details>
      );
    case 'other':
      return <p className="dim">{visible(part.name)}, not shown here</p>;
  }
}
