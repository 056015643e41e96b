/** A part of a page that loads, fails and is empty by itself: the others go on. */
import type { UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ApiError } from '../api/client.ts';

interface BlockProps<T> {
  readonly title?: ReactNode;
  readonly aside?: ReactNode;
  /** As a part of the sentence "Could not load …". */
  readonly what: string;
  readonly query: Pick<UseQueryResult<T, Error>, 'data' | 'error' | 'refetch'>;
  /** Height of what comes, so that nothing jumps. */
  readonly height?: number;
  readonly children: (data: T) => ReactNode;
}

export function Block<T>({ title, aside, what, query, height = 96, children }: BlockProps<T>): ReactNode {
  const { data, error } = query;
  const again = (): void => void query.refetch();
  return (
    <section className="block">
      {title !== undefined && (
        <h2>
          {title}
          {aside !== undefined && <span className="push">{aside}</span>}
        </h2>
      )}
      {data !== undefined ? (
        <>
          {error !== null && <Failed what={what} error={error} again={again} />}
          {children(data)}
        </>
      ) : error !== null ? (
        <Failed what={what} error={error} again={again} />
      ) : (
        <Skeleton height={height} />
      )}
    </section>
  );
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
  const [copied, setCopied] = useState(false);
  const { words, id } = failureWords(error);
  const copy = (): void => {
    void navigator.clipboard.writeText(`${what}: ${words} ${id ?? ''}`).then(() => setCopied(true));
  };
  return (
    <div className="failed" role="alert">
      <span>
        Could not load {what}. <span className="dim">{words}</span>
      </span>
      <button type="button" className="button" onClick={again}>
        Try again
      </button>
      {id !== null && (
        <button type="button" className="button quiet" onClick={copy}>
          {copied ? 'Copied' : 'Copy details'}
        </button>
      )}
    </div>
  );
}

/** What a person is told of a failure: what, and the id under which the operator finds it. */
export function failureWords(error: Error): { readonly words: string; readonly id: string | null } {
  if (!(error instanceof ApiError)) return { words: 'The page could not read the answer.', id: null };
  if (error.status === 0) return { words: 'No connection to the service.', id: null };
  if (error.status === 429) {
    const wait = error.retryAfterSeconds === null ? '' : ` Try again in ${error.retryAfterSeconds} s.`;
    return { words: `Too many requests.${wait}`, id: error.traceId };
  }
  const details = error.details.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');
  return { words: `${error.message}${details === '' ? '' : `: ${details}`} (${error.status})`, id: error.traceId };
}

export function Empty({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="quiet-box">{children}</div>;
}
