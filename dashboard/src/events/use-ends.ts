import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import type { CallEvent, Page } from '../api/types.ts';
import { endsOf } from './call-events.ts';

const PAGE_SIZE = 200;
/** A page that takes the service too long ends early, so that several may be needed even for one answer. */
const MOST_PAGES = 10;

interface Ends {
  /** The answers and errors, oldest first. */
  readonly events: readonly CallEvent[];
  /** The call has more events than were loaded. */
  readonly isCut: boolean;
}

/**
 * The answers and errors of the call that begins with the event of this id, which is unique, while several calls may have the same request
 * id. A page that knows the id asks for them together with the event.
 */
export function useEnds(id: string, isWanted = true) {
  return useQuery({
    queryKey: ['events', 'of-call', id],
    queryFn: async ({ signal }): Promise<Ends> => {
      const found: CallEvent[] = [];
      let cursor: string | null | undefined;
      for (let pages = 0; pages < MOST_PAGES && cursor !== null; pages++) {
        const page = await get<Page<CallEvent>>('/v1/events', { call: id, limit: PAGE_SIZE, cursor }, { signal });
        found.push(...page.data);
        cursor = page.next_cursor;
      }
      return { events: endsOf(id, found), isCut: cursor !== null };
    },
    enabled: isWanted,
  });
}
