import type { ReactNode } from 'react';
import { Empty } from './block.tsx';
import { Time } from './small.tsx';

interface SearchedToProps {
  /** The time that the search had reached; null if it is unknown. */
  readonly at: string | null;
  /** The oldest entries are searched first, not the newest. */
  readonly isForward?: boolean;
}

/** The time back to which the service has searched: a search that would take too long ends early. */
export function SearchedTo({ at, isForward = false }: SearchedToProps): ReactNode {
  return (
    <>
      {isForward ? 'Searched up to' : 'Searched back to'}{' '}
      {at === null ? `${isForward ? 'a later' : 'an earlier'} time` : <Time at={at} as="table" />}.
    </>
  );
}

interface FurtherBackProps extends SearchedToProps {
  /** Nothing was found yet; otherwise the shown entries are not all. */
  readonly isEmpty: boolean;
  readonly isLooking: boolean;
  readonly look: () => void;
}

/** The service has searched only a part of the range: a person may continue the search. */
export function FurtherBack({ at, isForward = false, isEmpty, isLooking, look }: FurtherBackProps): ReactNode {
  const words = (
    <>
      {isEmpty && 'Nothing matches so far. '}
      <SearchedTo at={at} isForward={isForward} />{' '}
      <button type="button" className="button" disabled={isLooking} onClick={look}>
        {isLooking ? 'Looking…' : isForward ? 'Look further' : 'Look further back'}
      </button>
    </>
  );
  return isEmpty ? <Empty>{words}</Empty> : <p className="meta">{words}</p>;
}
