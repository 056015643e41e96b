/**
 * The command palette for search and navigation: pages, environments, apps, rules, ids. Text that looks like a secret is never sent.
 */
import { useState, type KeyboardEvent, type ReactNode } from 'react';
import Dialog from '../parts/dialog.tsx';
import { Problem } from '../parts/form-end.tsx';
import { useSending } from '../parts/form.ts';
import { Icon } from '../parts/icons.tsx';
import { looksSecret, SECRET_REFUSED } from '../parts/secret-shape.ts';
import { UserText } from '../parts/text.tsx';
import { useHits, type Hit } from './palette-hits.ts';

export default function Palette({ close }: { readonly close: () => void }): ReactNode {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const isSecret = looksSecret(text);
  const hits = useHits(text, isSecret);
  const sending = useSending();
  const run = (hit: Hit | undefined): void => {
    if (hit === undefined || sending.isSending) return;
    if (hit.work !== undefined) return sending.run(hit.work);
    close();
    hit.go();
  };
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const next = Math.max(0, Math.min(at + step, hits.length - 1));
      setAt(next);
      // The list scrolls in its own box.
      document.getElementById(`hit-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) run(hits[at]);
  };
  return (
    <Dialog title="Search or jump to" close={close} size={560}>
      <input
        className="input"
        role="combobox"
        aria-label="Search or jump to"
        aria-expanded="true"
        aria-controls="palette-hits"
        aria-activedescendant={hits[at] === undefined ? undefined : `hit-${at}`}
        data-autofocus
        placeholder="A page, an app, an event id, a rule…"
        value={text}
        onKeyDown={press}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
      />
      {isSecret && <p className="problem">{SECRET_REFUSED}</p>}
      <Problem of={sending} />
      <ul id="palette-hits" className="hits" role="listbox" aria-label="Found">
        {hits.map((hit, index) => (
          <HitRow
            key={`${hit.group}-${hit.label}-${index}`}
            hit={hit}
            index={index}
            isAt={index === at}
            run={() => run(hit)}
            point={() => setAt(index)}
          />
        ))}
        {hits.length === 0 && !isSecret && <NoMatch />}
      </ul>
    </Dialog>
  );
}

interface HitRowProps {
  readonly hit: Hit;
  readonly index: number;
  /** Whether Enter runs the hit. */
  readonly isAt: boolean;
  readonly run: () => void;
  /** Called when the pointer moves to the row. */
  readonly point: () => void;
}

function HitRow({ hit, index, isAt, run, point }: HitRowProps): ReactNode {
  return (
    <li
      id={`hit-${index}`}
      role="option"
      aria-selected={isAt}
      onClick={run}
      onMouseMove={({ movementX: x, movementY: y }) => {
        // When the list scrolls below a resting pointer, browsers also report a move.
        if (x !== 0 || y !== 0) point();
      }}
    >
      <Icon name={hit.icon} />
      <UserText text={hit.label} cut />
      <span className="push meta">{hit.group}</span>
    </li>
  );
}

function NoMatch(): ReactNode {
  return (
    <li role="option" aria-selected="false" aria-disabled="true" className="meta">
      No match
    </li>
  );
}
