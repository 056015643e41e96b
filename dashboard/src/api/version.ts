/** Notices that the service was updated while the page was open: the page may not fit its answers any more. */
import { useSyncExternalStore } from 'react';

const listeners = new Set<() => void>();
let first: string | undefined;
let isUpdated = false;

/** @param version of the service that gave an answer; null if the answer does not say it */
export function noteVersion(version: string | null): void {
  if (version === null) return;
  // The page itself comes from the service that gave the first answer.
  first ??= version;
  if (isUpdated || version === first) return;
  isUpdated = true;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Stays true when it was true once: during an update, several replicas may answer with different versions. */
export const wasUpdated = (): boolean => isUpdated;
export const useWasUpdated = (): boolean => useSyncExternalStore(subscribe, wasUpdated);
