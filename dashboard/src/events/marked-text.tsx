/** A stored text with its redactions as chips. Where they are is told by the record, never found by searching the text. */
import { Popover } from '@mantine/core';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/Paper.css';
import { Link } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { visible } from '../parts/text.tsx';

export interface Mask {
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly entity: string;
  readonly detector: string;
  readonly n?: number | null;
}

interface MarkedProps {
  readonly text: string;
  readonly path: string;
  readonly masks: readonly Mask[];
  readonly isBlocked: boolean;
}

const LONG = 100_000;
const KEPT = 50_000;

export function MarkedText({ text, path, masks, isBlocked }: MarkedProps): ReactNode {
  const [isWhole, setWhole] = useState(text.length <= LONG);
  const own = masks
    .filter((mask) => mask.path === path && mask.end > mask.start && mask.end <= text.length)
    .sort((a, b) => a.start - b.start || b.end - a.end);
  if (!isWhole) {
    return (
      <>
        {visible(text.slice(0, KEPT))}
        <button type="button" className="button" onClick={() => setWhole(true)}>
          Show all {text.length.toLocaleString()} characters
        </button>
        {visible(text.slice(-KEPT))}
      </>
    );
  }
  const parts: ReactNode[] = [];
  let at = 0;
  for (const mask of own) {
    // Of nested findings the longest is shown.
    if (mask.start < at) continue;
    parts.push(visible(text.slice(at, mask.start)));
    parts.push(<Chip key={mask.start} mask={mask} stored={text.slice(mask.start, mask.end)} isBlocked={isBlocked} />);
    at = mask.end;
  }
  parts.push(visible(text.slice(at)));
  return <bdi dir="auto">{parts}</bdi>;
}

interface ChipProps {
  readonly mask: Mask;
  readonly stored: string;
  readonly isBlocked: boolean;
}

function Chip({ mask, stored, isBlocked }: ChipProps): ReactNode {
  const { entity, detector, path, start, end, n } = mask;
  const label = `${entity}${n === undefined || n === null ? '' : ` ${n}`}`;
  const spoken = entity.toLowerCase().replaceAll('_', ' ');
  return (
    <Popover position="bottom-start" withinPortal>
      <Popover.Target>
        <button
          type="button"
          className={`chip${isBlocked ? ' blocked' : ''}`}
          aria-label={`redacted ${spoken}${n === undefined || n === null ? '' : ` ${n}`}`}
          data-copy={stored}
        >
          {label}
        </button>
      </Popover.Target>
      <Popover.Dropdown>
        <dl className="facts-list narrow">
          <dt>What</dt>
          <dd className="mono">{entity}</dd>
          <dt>Found by</dt>
          <dd>{detector}</dd>
          <dt>Where</dt>
          <dd className="mono">
            {path} {start}–{end}
          </dd>
        </dl>
        <p className="meta">The text itself is not stored.</p>
        <Link to="/events" search={((before: object) => ({ ...before, decision: 'redact' })) as never} className="link">
          Other redacted calls
        </Link>
      </Popover.Dropdown>
    </Popover>
  );
}
