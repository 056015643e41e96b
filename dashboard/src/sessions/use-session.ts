/** The calls of one session, oldest first, page by page, and its totals. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { get, type Schemas } from '../api/client.ts';
import { isSettled, useFeature } from '../api/queries.ts';
import type { CallEvent, Page } from '../api/types.ts';
import type { ListedEvent } from '../events/use-events.ts';

const PAGE_SIZE = 200;

interface SessionPageOf extends Page<ListedEvent> {
  /** Names of the tools that were called, by the id of the call. */
  readonly tools: ReadonlyMap<string, string>;
}

/** Clients choose the ids of sessions: the same one may be used in several apps and environments. */
interface SessionId {
  readonly session: string;
  /** Undefined: of all apps, as in a link without an app. */
  readonly app: string | undefined;
  readonly environment: string | undefined;
}

export function useSession({ session, app, environment }: SessionId) {
  const list = useInfiniteQuery({
    queryKey: ['events', 'of-session', session, app, environment],
    queryFn: async ({ pageParam, signal }): Promise<SessionPageOf> => {
      const of = { session, app, environment };
      const query = { ...of, view: 'calls', fields: 'summary', order: 'asc', limit: PAGE_SIZE };
      const page = await get<Page<ListedEvent>>('/v1/events', { ...query, cursor: pageParam }, { signal });
      return { ...page, tools: await toolNames(page.data, signal) };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  });
  const events = useMemo(() => list.data?.pages.flatMap(({ data }) => data) ?? [], [list.data]);
  const tools = useMemo(() => new Map(list.data?.pages.flatMap((page) => [...page.tools]) ?? []), [list.data]);
  return { list, events, tools };
}

/** Lists are requested without payloads, but the name of a tool is part of the payload. */
async function toolNames(rows: readonly ListedEvent[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const calls = rows.flatMap(({ id, type }) => (type === 'agent.tool_call' ? [id] : []));
  if (calls.length === 0) return new Map();
  const query = { call: calls.join(','), type: 'agent.tool_call', limit: PAGE_SIZE };
  const { data } = await get<Page<CallEvent>>('/v1/events', query, { signal });
  return new Map(
    data.flatMap(({ id, payload }) => {
      const tool = (payload as { readonly tool?: unknown } | null)?.tool;
      return typeof tool === 'string' ? [[id, tool] as const] : [];
    }),
  );
}

export interface SessionSums {
  /** Undefined: not loaded, or the service does not store them. */
  readonly rows: readonly Schemas['CallSession'][] | undefined;
  readonly hasFailed: boolean;
  /** Whether no more totals will appear by themselves. */
  readonly isSettled: boolean;
  readonly again: () => void;
}

/** The totals that the service stores separately from the log, for any number of calls. */
export function useSessionSums(of: SessionId): SessionSums {
  const isKept = useFeature('sessions');
  const query = useQuery({
    queryKey: ['sessions', 'one', of.session, of.app, of.environment],
    queryFn: ({ signal }) => get<Page<Schemas['CallSession']>>('/v1/sessions', { ...of }, { signal }),
    enabled: isKept,
  });
  return {
    rows: query.data?.data,
    hasFailed: query.data === undefined && query.error !== null,
    isSettled: !isKept || isSettled(query),
    again: () => void query.refetch(),
  };
}
