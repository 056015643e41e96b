/** A part of a page with its own loading, failed and empty states, which do not affect other parts. */
import { Link } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { ApiError } from '../api/client.ts';
import { COPY_WORDS, useCopying } from './copying.ts';
import { signInPath } from './sign-in.ts';

/** One query, or several combined into one. */
interface Asked<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly refetch: () => Promise<unknown>;
  /** The data belongs to what was selected before: to another environment, range or filter. */
  readonly isPlaceholderData?: boolean;
  readonly isFetching?: boolean;
  /** Only for lists: the page after those shown could not be loaded. */
  readonly isFetchNextPageError?: boolean;
}

interface PartProps<T> {
  /** The object of the sentence "Could not load …". */
  readonly what: string;
  readonly query: Asked<T>;
  /** The expected height in pixels, reserved so that the layout does not shift. */
  readonly height?: number;
  readonly children: (data: T) => ReactNode;
}

interface BlockProps<T> extends PartProps<T> {
  readonly title?: ReactNode;
  readonly aside?: ReactNode;
}

export function Block<T>({ title, aside, ...part }: BlockProps<T>): ReactNode {
  return (
    <section className={`block${ageOf(part.query)}`}>
      {title !== undefined && (
        <h2>
          {title}
          {isBehind(part.query) && <span className="meta">not updated</span>}
          {aside !== undefined && <span className="push">{aside}</span>}
        </h2>
      )}
      <Part {...part} />
    </section>
  );
}

/** The classes of shown data that is being replaced: outdated data is dimmed, and a line shows that a request runs. */
function ageOf({ data, isPlaceholderData, isFetching }: Asked<unknown>): string {
  if (data === undefined) return '';
  return `${isPlaceholderData === true ? ' outdated' : ''}${isFetching === true ? ' busy' : ''}`;
}

/** Whether shown data could not be updated. The banner reports a lost connection, and slowed down updates are not reported. */
function isBehind({ data, error }: Asked<unknown>): boolean {
  return data !== undefined && error !== null && !comesBack(error);
}

/**
 * A `Block` without a section and a title. A failed update of shown data does not appear in it, because a message would move the data.
 */
export function Part<T>({ what, query, height = 96, children }: PartProps<T>): ReactNode {
  const { data, error } = query;
  const isMissing = data === undefined && error !== null;
  const [box, kept] = useRoom(isMissing, height);
  const again = (): void => void query.refetch();
  if (data === undefined && error === null) return <Skeleton height={kept ?? height} />;
  const shown = (
    <>
      {error !== null && (isMissing || query.isFetchNextPageError === true) && (
        <Failed what={what} error={error} again={again} />
      )}
      {data !== undefined && children(data)}
    </>
  );
  if (kept === null) return shown;
  return (
    <div ref={box} className={`reserve${isMissing ? ' missing' : ''}`} style={{ minHeight: kept }}>
      {shown}
    </div>
  );
}

/**
 * Reserves the expected height for a failure, and at least the height of the failure for the data that replaces it, so
 * that the layout below does not shift. The height is null until the query has failed once.
 */
function useRoom(isMissing: boolean, height: number): readonly [RefObject<HTMLDivElement | null>, number | null] {
  const box = useRef<HTMLDivElement>(null);
  const taken = useRef<number | null>(null);
  if (isMissing) taken.current ??= height;
  useLayoutEffect(() => {
    if (isMissing && box.current !== null) taken.current = Math.max(taken.current ?? 0, box.current.offsetHeight);
  });
  return [box, taken.current];
}

export function Skeleton({ height }: { readonly height: number }): ReactNode {
  return (
    <svg className="skeleton" width="100%" height={height} role="img" aria-label="Loading">
      <rect width="0" height="0" />
    </svg>
  );
}

interface FailedProps {
  readonly what: string;
  readonly error: Error;
  readonly again: () => void;
}

export function Failed({ what, error, again }: FailedProps): ReactNode {
  const { words, id } = failureWords(error);
  const { result, copy } = useCopying(`${what}: ${words} ${id ?? ''}`);
  const wait = useWait(error, again);
  return (
    <div className={`failed${comesBack(error) ? ' comes-back' : ''}`} role="alert">
      <span>
        Could not load {what}. <span className="dim">{words}</span>{' '}
        {wait !== null && (
          <span className="dim tab-nums" aria-hidden="true">
            Retrying in {wait} s.
          </span>
        )}
      </span>
      <NextStep error={error} />
      <button type="button" className="button" onClick={again}>
        Try again
      </button>
      {id !== null && (
        <button type="button" className="button quiet" onClick={() => void copy()}>
          {result === null ? 'Copy details' : COPY_WORDS[result]}
        </button>
      )}
    </div>
  );
}

/** Whether the request is retried automatically. */
const comesBack = (error: Error): boolean => error instanceof ApiError && (error.status === 0 || error.status === 429);

/** A link to the page that helps, if a retry does not. */
function NextStep({ error }: { readonly error: Error }): ReactNode {
  if (!(error instanceof ApiError)) return null;
  if (error.status === 402) {
    return (
      <Link to="/subscription" className="button">
        Choose a plan
      </Link>
    );
  }
  if (error.status !== 401) return null;
  return (
    <a className="button" href={signInPath()}>
      Sign in
    </a>
  );
}

const SLOWED_S = 10;

/** Seconds until a rate-limited request (429) is retried automatically; null for all other failures. */
function useWait(error: Error, again: () => void): number | null {
  const seconds = error instanceof ApiError && error.status === 429 ? (error.retryAfterSeconds ?? SLOWED_S) : null;
  const [left, setLeft] = useState(seconds);
  const ask = useRef(again);
  ask.current = again;
  useEffect(() => {
    setLeft(seconds);
    if (seconds === null) return undefined;
    const until = Date.now() + seconds * 1000;
    const timer = window.setInterval(() => {
      const rest = Math.max(0, Math.ceil((until - Date.now()) / 1000));
      setLeft(rest);
      if (rest > 0) return;
      window.clearInterval(timer);
      ask.current();
    }, 1000);
    return () => window.clearInterval(timer);
  }, [error, seconds]);
  return left;
}

/** The text that the user sees for a failure, and the id by which the operator finds the failure. */
export function failureWords(error: Error): { readonly words: string; readonly id: string | null } {
  if (!(error instanceof ApiError)) return { words: 'The page could not read the answer.', id: null };
  switch (error.status) {
    case 0:
      return { words: 'No connection to the service. Retrying automatically.', id: null };
    case 401:
      return { words: 'You are signed out.', id: null };
    case 402:
      return { words: 'This needs an active subscription.', id: error.traceId };
    case 403:
      return {
        words: `Your role does not allow this; an owner of the account can allow it. (403)`,
        id: error.traceId,
      };
    case 429:
      return {
        words: `Too many requests: slowed down for ${error.retryAfterSeconds ?? SLOWED_S} s.`,
        id: error.traceId,
      };
  }
  const details = error.details.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
  return { words: `${error.message}${details === '' ? '' : `: ${details}`} (${error.status})`, id: error.traceId };
}

export function Empty({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="quiet-box">{children}</div>;
}
