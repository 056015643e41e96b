/** A stored text with its redactions as chips. Their positions come from the event, never from a search in the text. */
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { visible } from '../parts/text.tsx';
import type { Mask, MaskTeller } from './masks.ts';

const AboutMask = lazy(() => import('./about-mask.tsx'));

interface MarkedProps {
  readonly text: string;
  readonly path: string;
  readonly tells: MaskTeller;
}

const LONG = 100_000;
const KEPT = 50_000;

export function MarkedText({ text, path, tells }: MarkedProps): ReactNode {
  const [isWhole, setWhole] = useState(text.length <= LONG);
  const own = tells.masks
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
    parts.push(<Chip key={mask.start} mask={mask} stored={text.slice(mask.start, mask.end)} tells={tells} />);
    at = mask.end;
  }
  parts.push(visible(text.slice(at)));
  return <bdi dir="auto">{parts}</bdi>;
}

interface ChipProps {
  readonly mask: Mask;
  readonly stored: string;
  readonly tells: MaskTeller;
}

/** The popover is created on the first click, because a text may have as many chips as words. */
function Chip({ mask, stored, tells }: ChipProps): ReactNode {
  const [state, setState] = useState<'new' | 'open' | 'closed'>('new');
  const { entity, n } = mask;
  const kind = tells.kindOf(mask);
  const number = n === undefined || n === null ? '' : ` ${n}`;
  const button = (
    <button
      type="button"
      className={`chip ${kind}`}
      aria-label={`${kind === 'would' ? 'would be ' : ''}redacted ${entity.toLowerCase().replaceAll('_', ' ')}${number}`}
      aria-haspopup="dialog"
      data-copy={stored}
      // The popover brings a new button element, which takes over the focus of the clicked one.
      autoFocus={state !== 'new'}
      onClick={() => setState(state === 'open' ? 'closed' : 'open')}
    >
      {visible(entity)}
      {number}
    </button>
  );
  if (state === 'new') return button;
  return (
    <Suspense fallback={button}>
      <AboutMask
        mask={mask}
        tells={tells}
        isOpen={state === 'open'}
        change={(isOpen) => setState(isOpen ? 'open' : 'closed')}
      >
        {button}
      </AboutMask>
    </Suspense>
  );
}
