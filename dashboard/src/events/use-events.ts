/** Loads the list page by page. */
import { useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Query } from '../api/client.ts';
import { loadBeginning, usePages, type List } from '../api/pages.ts';
import type { CallEvent } from '../api/types.ts';
import type { Span } from '../shell/span.ts';

export type ListedEvent = CallEvent & {
  readonly outcome?: string | null;
  readonly excerpt?: string | null;
  readonly mark?: string | null;
};

const PAGE_SIZE = 100;

/** @param isHeld the user has scrolled down: the list stays as it is */
export function useEvents(query: Query, span: Span, isHeld: boolean) {
  const client = useQueryClient();
  const asked: List = { key: ['events'], path: '/v1/events', query: { ...query, limit: PAGE_SIZE }, span, isHeld };
  const list = usePages<ListedEvent>(asked);
  const rows = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  return { list, rows, loadNewest: () => loadBeginning<ListedEvent>(client, asked) };
}
