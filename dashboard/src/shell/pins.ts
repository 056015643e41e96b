/** Saved views that a person has pinned to the navigation; stored in the browser. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { get } from '../api/client.ts';
import { useFeature } from '../api/queries.ts';
import { onChangeElsewhere } from '../parts/other-tabs.ts';
import type { Data, SavedView } from '../api/types.ts';

const KEPT_AS = 'weir.pins';
export const MOST_PINS = 5;
const listeners = new Set<() => void>();
let now = keptIds();

function keptIds(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT_AS) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}

export function setPinned(id: string, isPinned: boolean): void {
  // Another tab may have pinned something since.
  const others = keptIds().filter((each) => each !== id);
  now = isPinned ? [...others, id] : others;
  localStorage.setItem(KEPT_AS, JSON.stringify(now));
  for (const listener of listeners) listener();
}

onChangeElsewhere(KEPT_AS, () => {
  now = keptIds();
  for (const listener of listeners) listener();
});

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSavedViews(isWanted = true): UseQueryResult<readonly SavedView[], Error> {
  const isKept = useFeature('views');
  return useQuery({
    queryKey: ['views'],
    queryFn: async () => (await get<Data<SavedView>>('/v1/views', { page: 'events' })).data,
    enabled: isKept && isWanted,
  });
}

/** In the order in which they were pinned; deleted views and those of other people are skipped. */
export function usePins(): readonly SavedView[] {
  const ids = useSyncExternalStore(subscribe, () => now);
  const views = useSavedViews(ids.length > 0).data;
  return ids.flatMap((id) => views?.find((view) => view.id === id) ?? []).slice(0, MOST_PINS);
}
