/** Details of one redaction, shown next to its chip. Loaded when a user selects one. */
import { Popover } from '@mantine/core';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/Paper.css';
import { Link } from '@tanstack/react-router';
import type { ReactElement, ReactNode } from 'react';
import { visible } from '../parts/text.tsx';
import { RANGES } from '../shell/ranges.ts';
import type { Search } from '../shell/view.ts';
import { searchLike } from './call-links.ts';
import { scoreOf } from './detector-scores.ts';
import { KIND_WORDS, type Mask, type MaskDetails } from './masks.ts';

interface AboutProps {
  readonly mask: Mask;
  readonly details: MaskDetails;
  readonly isOpen: boolean;
  readonly change: (isOpen: boolean) => void;
  /** The chip that opens the popover. */
  readonly children: ReactElement;
}

export default function AboutMask({ mask, details, isOpen, change, children }: AboutProps): ReactNode {
  return (
    <Popover opened={isOpen} onChange={change} position="bottom-start" withinPortal>
      <Popover.Target>{children}</Popover.Target>
      <Popover.Dropdown>
        <About mask={mask} details={details} />
      </Popover.Dropdown>
    </Popover>
  );
}

const shownScore = new Intl.NumberFormat(undefined, { maximumFractionDigits: 2 });

function About({ mask, details }: Pick<AboutProps, 'mask' | 'details'>): ReactNode {
  const { entity, detector, path, start, end, rule, n } = mask;
  const version = detector === null ? undefined : details.versionOf?.(detector);
  const score = detector === null ? undefined : scoreOf(details.facts, detector);
  return (
    <>
      <dl className="facts-list narrow">
        <dt>Entity</dt>
        <dd>
          <span className="mono">{visible(entity)}</span>
          {typeof n === 'number' && <span className="dim">, value {n} of this call</span>}
        </dd>
        <dt>Effect</dt>
        <dd>{KIND_WORDS[details.kindOf(mask)]}</dd>
        {typeof rule === 'string' && (
          <>
            <dt>Rule</dt>
            <dd className="mono">{visible(rule)}</dd>
          </>
        )}
        {detector !== null && (
          <>
            <dt>Found by</dt>
            <dd>
              {visible(detector)} {version}
            </dd>
          </>
        )}
        {score !== undefined && (
          <>
            <dt>Score</dt>
            <dd className="tab-nums">
              {score.isOfOne ? '' : 'at most '}
              {shownScore.format(score.highest)}
              {!score.isOfOne && <span className="dim">, the highest of its detector in this call</span>}
            </dd>
          </>
        )}
        <dt>Where</dt>
        <dd className="mono">
          {visible(path)} {start}–{end}
        </dd>
      </dl>
      <p className="meta">The text itself is not stored.</p>
      {typeof rule === 'string' && (
        <Link to="/events" search={searchOf(rule, details.event) as never} className="link">
          Other calls of this rule
        </Link>
      )}
    </>
  );
}

/** The calls of the rule in all apps. */
function searchOf(rule: string, event: MaskDetails['event']): (before: Search) => Search {
  const change = { rule, app: undefined };
  return event === undefined ? (before) => ({ ...before, ...change }) : searchLike(event, change, RANGES);
}
