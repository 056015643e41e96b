import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';

type Pages = Pick<UseInfiniteQueryResult, 'isFetchingNextPage' | 'fetchNextPage'>;

/** Loads the next page of a list, newest first. @param what its entries */
export function OlderButton({ list, what }: { readonly list: Pages; readonly what: string }): ReactNode {
  return (
    <button
      type="button"
      className="button"
      disabled={list.isFetchingNextPage}
      onClick={() => void list.fetchNextPage()}
    >
      Older {what}
    </button>
  );
}
