import type { Reach } from '../../access/index.js';
import type { Database } from '../../database/index.js';
import type { ArchiveSearchParts } from '../archive/archive-search.js';
import { ArchivedEventReader, pageWithArchive, type LivePage } from '../archive/archived-reader.js';
import type { EventFilters } from './event-filters.js';
import { EventReader, type Ambiguous, type EventPage, type Place } from './event-reader.js';
import type { EventRecord, EventSummary } from './event-record.js';
import type { SearchLimits } from './event-windows.js';

/**
 * Reads the log from the read replica if there is one; its answers then lag behind. Only the primary can answer "not found", so an
 * acknowledged event is never reported as missing.
 */
export class ReplicaEventReader extends EventReader {
  constructor(
    private readonly database: Pick<Database, 'readSql' | 'readAtOnce' | 'readsUpTo' | 'replica'>,
    private readonly primary: EventReader,
    private readonly archive: ArchiveSearchParts,
  ) {
    super(database.readSql);
  }

  /** @throws as `EventReader.page` */
  override async page(
    filters: EventFilters,
    cursor?: string,
    patience?: SearchLimits,
  ): Promise<EventPage<EventRecord | EventSummary>> {
    if (filters.archive === 'true') {
      const live: LivePage = (asked, from) => this.page(asked, from, patience);
      return pageWithArchive(this.archive, live, filters, cursor, patience);
    }
    const page = await this.database.readAtOnce((sql) => new EventReader(sql).page(filters, cursor, patience));
    const isNothing = cursor === undefined && page.data.length === 0 && page.nextCursor === null;
    return isNothing && this.mayBeOld ? this.primary.page(filters, cursor, patience) : page;
  }

  /** @throws as `EventReader.get` */
  override async get(manager: Reach, idOrEventId: string, place?: Place): Promise<EventRecord | null | Ambiguous> {
    const found = await this.database.readAtOnce((sql) => new EventReader(sql).get(manager, idOrEventId, place));
    return found === null && this.mayBeOld ? this.primary.get(manager, idOrEventId, place) : found;
  }

  /**
   * Reads everything that was acknowledged before a time; see `Database.readsUpTo`.
   *
   * @param ms by the database's clock; may be now
   * @param signal aborts the wait for the read replica
   */
  async upTo(ms: number, signal?: AbortSignal): Promise<EventReader> {
    return new ArchivedEventReader(await this.database.readsUpTo(ms, signal), this.archive);
  }

  private get mayBeOld(): boolean {
    return this.database.replica !== undefined;
  }
}
