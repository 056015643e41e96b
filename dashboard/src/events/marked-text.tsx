/** A stored text with its redactions as chips. Their positions come from the event, never from a search in the text. */
import { Fragment, lazy, Suspense, useState, type ReactNode } from 'react';
import { visible } from '../parts/text.tsx';
import { piecesOf } from './marked-pieces.ts';
import type { Mask, MaskDetails } from './masks.ts';

const AboutMask = lazy(() => import('./about-mask.tsx'));

interface MarkedProps {
  readonly text: string;
  readonly path: string;
  readonly details: MaskDetails;
}

/** A text of more characters is shortened until the user asks for all of it. */
const LIMITS = { long: 100_000, kept: 50_000 };

export function MarkedText({ text, path, details }: MarkedProps): ReactNode {
  const [isWhole, setWhole] = useState(false);
  const own = details.masks.filter((mask) => mask.path === path);
  return (
    <bdi dir="auto">
      {piecesOf(text, own, isWhole ? undefined : LIMITS).map((piece, index) => {
        switch (piece.kind) {
          case 'text':
            return <Fragment key={index}>{visible(piece.text)}</Fragment>;
          case 'mask':
            return <Chip key={`mask ${piece.mask.start}`} mask={piece.mask} stored={piece.stored} details={details} />;
          case 'left out':
            return (
              <button key="left out" type="button" className="button" onClick={() => setWhole(true)}>
                Show all {text.length.toLocaleString()} characters
              </button>
            );
        }
      })}
    </bdi>
  );
}

interface ChipProps {
  readonly mask: Mask;
  readonly stored: string;
  readonly details: MaskDetails;
}

/** The popover is created on the first click, because a text may have as many chips as words. */
function Chip({ mask, stored, details }: ChipProps): ReactNode {
  const [state, setState] = useState<'new' | 'open' | 'closed'>('new');
  const { entity, n } = mask;
  const kind = details.kindOf(mask);
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
        details={details}
        isOpen={state === 'open'}
        change={(isOpen) => setState(isOpen ? 'open' : 'closed')}
      >
        {button}
      </AboutMask>
    </Suspense>
  );
}
