/** Small components used by many pages. */
import { useEffect, useId, useRef, useState, type KeyboardEvent, type ReactNode } from 'react';
import { COPY_WORDS, useCopying } from './copying.ts';
import { ago, costSum, exactTime, shortId, tableTime, unpricedWords } from './format.ts';
import { Icon, type IconName } from './icons.tsx';
import { visible } from './text.tsx';

export function Time({ at, as = 'ago' }: { readonly at: string; readonly as?: 'ago' | 'table' | 'exact' }): ReactNode {
  const now = useNow(as === 'ago');
  const text = as === 'ago' ? ago(at, now) : as === 'table' ? tableTime(at, now) : exactTime(at);
  return (
    <time dateTime={at} title={exactTime(at)} className="tab-nums">
      {text}
    </time>
  );
}

const TICK_MS = 30_000;

function useNow(ticking: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticking) return undefined;
    const timer = window.setInterval(() => setNow(Date.now()), TICK_MS);
    return () => window.clearInterval(timer);
  }, [ticking]);
  return now;
}

const COPY_ICONS = { 'not yet': 'copy', copied: 'check', refused: 'alert' } as const satisfies Record<string, IconName>;

export function Copy({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }): ReactNode {
  const { result, copy } = useCopying(text);
  return (
    <button
      type="button"
      className="button quiet icon-only"
      aria-label={result === null ? label : COPY_WORDS[result]}
      title={result === null ? label : COPY_WORDS[result]}
      onClick={() => void copy()}
    >
      <Icon name={COPY_ICONS[result ?? 'not yet']} />
    </button>
  );
}

interface CopyButtonProps {
  readonly text: string;
  readonly children: ReactNode;
  readonly copied?: () => void;
}

export function CopyButton({ text, children, copied }: CopyButtonProps): ReactNode {
  const { result, copy } = useCopying(text);
  return (
    <button
      type="button"
      className="button"
      onClick={() => {
        void copy().then((done) => {
          if (done === 'copied') copied?.();
        });
      }}
    >
      <Icon name={COPY_ICONS[result ?? 'not yet']} />
      {result === null ? children : COPY_WORDS[result]}
    </button>
  );
}

/** An id in mono, its middle left out, with a button that copies all of it. */
export function Id({
  id,
  head = 8,
  tail = 4,
}: {
  readonly id: string;
  readonly head?: number;
  readonly tail?: number;
}): ReactNode {
  return (
    <span className="line tight nowrap">
      <code className="mono cut" title={id}>
        {shortId(id, head, tail)}
      </code>
      <Copy text={id} label="Copy id" />
    </span>
  );
}

interface CostProps {
  readonly nanoUsd: string | bigint;
  /** The number of calls whose price is unknown; undefined for an older service. */
  readonly withoutPrice: number | undefined;
  readonly digits: 2 | 5;
}

/** A sum of costs, with the number of calls that are missing from it for hover and screen readers. */
export function Cost({ nanoUsd, withoutPrice, digits }: CostProps): ReactNode {
  const words = unpricedWords(withoutPrice);
  const text = costSum(nanoUsd, withoutPrice, digits);
  if (words === '') return text;
  return (
    <span title={words}>
      {text}
      <span className="sr">, {words}</span>
    </span>
  );
}

export function None(): ReactNode {
  return (
    <span role="img" aria-label="none">
      –
    </span>
  );
}

interface SegmentsProps<T extends string> {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [value: T, label: string])[];
  readonly onChange: (value: T) => void;
}

export function Segments<T extends string>({ label, value, options, onChange }: SegmentsProps<T>): ReactNode {
  return (
    <div className="segments" role="group" aria-label={label}>
      {options.map(([each, text]) => (
        <button key={each} type="button" aria-pressed={each === value} onClick={() => onChange(each)}>
          {text}
        </button>
      ))}
    </div>
  );
}

/**
 * For table rows: the accessible name contains the item to be deleted, because a screen reader reads it without the
 * row.
 */
export function DeleteButton({ name, act }: { readonly name: string; readonly act: () => void }): ReactNode {
  return (
    <button type="button" className="button danger" aria-label={`Delete ${visible(name)}`} onClick={act}>
      Delete
    </button>
  );
}

interface SearchFieldProps {
  /**
   * The purpose of the field: read by screen readers, and shown in the empty field (the HTML attribute `placeholder`).
   */
  readonly label: string;
  readonly value: string;
  readonly change: (text: string) => void;
  readonly press?: (pressed: KeyboardEvent) => void;
}

export function SearchField({ label, value, change, press }: SearchFieldProps): ReactNode {
  return (
    <input
      className="input small"
      type="search"
      aria-label={label}
      placeholder={label}
      value={value}
      onKeyDown={press}
      onChange={(event) => change(event.target.value)}
    />
  );
}

interface FieldProps {
  readonly label: string;
  readonly problem?: string | undefined;
  readonly hint?: string | undefined;
  readonly children: ReactNode;
}

/** A control with its label. The hint and the problem describe the control, and are not part of its name. */
export function Field({ label, problem, hint, children }: FieldProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const describedBy = [
    ...(hint === undefined ? [] : [`${id}hint`]),
    ...(problem === undefined ? [] : [`${id}problem`]),
  ];
  const described = describedBy.join(' ');
  useEffect(() => {
    const control = controlIn(box.current);
    if (described === '') control?.removeAttribute('aria-describedby');
    else control?.setAttribute('aria-describedby', described);
  }, [described]);
  useEffect(() => {
    const control = controlIn(box.current);
    if (problem === undefined) control?.removeAttribute('aria-invalid');
    else {
      control?.setAttribute('aria-invalid', 'true');
      if (!isWrong(document.activeElement)) control?.focus();
    }
  }, [problem]);
  return (
    <div ref={box} className="field">
      <label>
        <span>{label}</span>
        {children}
      </label>
      {hint !== undefined && (
        <small id={`${id}hint`} className="hint">
          {hint}
        </small>
      )}
      {problem !== undefined && (
        <small id={`${id}problem`} className="problem" role="alert">
          {problem}
        </small>
      )}
    </div>
  );
}

const controlIn = (box: HTMLElement | null): HTMLElement | null | undefined =>
  box?.querySelector<HTMLElement>('input, select, textarea');

/** Whether an element is in a field with a problem: of several such fields, the first one gets the focus. */
const isWrong = (element: Element | null): boolean =>
  (element?.closest('.field')?.querySelector('.problem') ?? null) !== null;

/** Small bars next to a number; hidden from screen readers, because the number has the information. */
export function Sparkline({ values }: { readonly values: readonly number[] }): ReactNode {
  const top = Math.max(1, ...values);
  const step = 64 / Math.max(1, values.length);
  return (
    <svg className="sparkline" width="64" height="16" viewBox="0 0 64 16" aria-hidden="true">
      {values.map((value, index) => {
        const height = value === 0 ? 0 : Math.max(1, (value / top) * 16);
        return (
          <rect
            key={index}
            x={index * step}
            y={16 - height}
            width={Math.max(0.8, step - 0.6)}
            height={height}
            fill="var(--accent)"
          />
        );
      })}
    </svg>
  );
}
