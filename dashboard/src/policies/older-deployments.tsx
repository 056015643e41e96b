import type { ReactNode } from 'react';
import { OlderButton } from '../parts/older-button.tsx';
import type { useHistory } from './use-policy.ts';

/** Loads the next page of the history; nothing if all deployments are loaded. */
export function OlderDeployments({ history }: { readonly history: ReturnType<typeof useHistory> }): ReactNode {
  if (!history.hasNextPage) return null;
  return (
    <>
      <OlderButton list={history} what="deployments" />
      {history.isFetchNextPageError && (
        <span className="problem" role="alert">
          Older deployments could not be loaded. Try again.
        </span>
      )}
    </>
  );
}
