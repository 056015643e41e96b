import { lazy, Suspense, useMemo, useState, type KeyboardEvent, type ReactNode } from 'react';
import type { CallEvent } from '../api/types.ts';
import { Skeleton } from '../parts/block.tsx';
import { count } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { CopyButton, SearchField } from '../parts/small.tsx';

const Code = lazy(() => import('../parts/code.tsx'));
/** The maximum number of matches: nobody steps through more of them. */
const MOST_FOUND = 1_000;

export function RawRecord({ event }: { readonly event: CallEvent }): ReactNode {
  const text = useMemo(() => JSON.stringify(event, null, 2), [event]);
  const [words, setWords] = useState('');
  const [at, setAt] = useState(0);
  const found = useMemo(() => placesOf(text, words), [text, words]);
  const go = (step: number): void => setAt((before) => (before + step + found.length) % Math.max(1, found.length));
  const press = (pressed: KeyboardEvent): void => {
    if (pressed.key !== 'Enter') return;
    pressed.preventDefault();
    go(pressed.shiftKey ? -1 : 1);
  };
  return (
    <div className="stack">
      <div className="line">
        <SearchField
          label="Search the record"
          value={words}
          press={press}
          change={(text) => {
            setWords(text);
            setAt(0);
          }}
        />
        <span role="status" className="meta tab-nums">
          {words !== '' && (found.length === 0 ? 'Not found' : `${count(at + 1)} of ${count(found.length)}`)}
        </span>
        {found.length > 1 && (
          <>
            <button type="button" className="button quiet icon-only" aria-label="Previous match" onClick={() => go(-1)}>
              <Icon name="up" />
            </button>
            <button type="button" className="button quiet icon-only" aria-label="Next match" onClick={() => go(1)}>
              <Icon name="down" />
            </button>
          </>
        )}
        <span className="push">
          <CopyButton text={text}>Copy record</CopyButton>
        </span>
      </div>
      <Suspense fallback={<Skeleton height={400} />}>
        <Code text={text} label="Record" found={found} at={at} />
      </Suspense>
    </div>
  );
}

/** The ranges of the words in the text, ignoring case. */
function placesOf(text: string, words: string): readonly { readonly from: number; readonly to: number }[] {
  if (words === '') return [];
  // An escaped regular expression is used instead of two texts in lower case, because letters whose length changes would shift the
  // ranges.
  const wanted = new RegExp(words.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'giu');
  const found: { from: number; to: number }[] = [];
  for (const match of text.matchAll(wanted)) {
    found.push({ from: match.index, to: match.index + match[0].length });
    if (found.length >= MOST_FOUND) break;
  }
  return found;
}
