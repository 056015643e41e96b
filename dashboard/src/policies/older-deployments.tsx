import type { ReactNode } from 'react';
import type { useHistory } from './use-policy.ts';

/** Loads the next page of the history; nothing if all deployments are loaded. */
export function OlderDeployments({ history }: { readonly history: ReturnType<typeof useHistory> }): ReactNode {
  if (!history.hasNextPage) return null;
  return (
    <>
      <button
        type="button"
        className="button"
        disabled={history.isFetchingNextPage}
        onClick={() => void history.fetchNextPage()}
      >
        Older deployments
      </button>
      {history.isFetchNextPageError && (
        <span className="problem" role="alert">
          They could not be loaded. Try again.
        </span>
      )}
    </>
  );
}
