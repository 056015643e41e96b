/**
 * Limits the time of a search for any filters: the log is searched in windows of a number of rows, along an index, until there are enough
 * results or the time limit is reached. The rest is left to the next page.
 */
import { DatabaseUnavailable, type QueryOptions, type SqlParameter } from '../../database/index.js';
import type { Conditions } from './event-filters.js';

/** The rows to search, in the order of an indexed id. */
export interface Walk {
  /** The alias of the table `events` in the query; the search follows the ids of its rows. */
  readonly alias: string;
  readonly where: Conditions;
  /** Whether the index contains only a few events, which may be far apart. */
  readonly isSparse: boolean;
  /** Whether each event of the walk matches the filters, so that no row is read in vain. */
  readonly isExact: boolean;
}

/** A part of the walk: the ids that follow `after`, up to and including `upTo`. */
export interface EventWindow {
  /** The id before the window; undefined: the window begins where the walk begins. */
  readonly after: string | undefined;
  /** The last id of the window; undefined: the window ends where the walk ends. */
  readonly upTo: string | undefined;
}

export type Direction = 'asc' | 'desc';

export interface SearchLimits {
  /** After this time, no further window is started. */
  readonly ms: number;
  /** Rows of the first window. */
  readonly rows: number;
  /** A window that is not searched by this time, counted from the start of the search, is abandoned. Absent: no window is abandoned. */
  readonly endMs?: number;
}

/** Limits for pages that a user waits for. */
export const PAGE_PATIENCE: SearchLimits = { ms: 110, endMs: 180, rows: 2_000 };
/** Limits for work that nobody waits for: its pages are always full. */
export const UNHURRIED: SearchLimits = { ms: Number.POSITIVE_INFINITY, rows: 5_000 };

/** The intended time for one window. Between two windows the database serves others. */
const WINDOW_MS = 40;
/** How long after the limit a window that began just before it may end. */
const LATE_MS = 20;
const MIN_ROWS = 250;
const MAX_ROWS = 50_000;
const GROWTH = 4;
/** Rows of the first window of a sparse walk. */
const SPARSE_ROWS = 400;

export type AskIds = (
  statement: string,
  parameters: readonly SqlParameter[],
  options: QueryOptions,
) => Promise<readonly { id: string }[]>;

export interface WalkOptions {
  readonly direction: Direction;
  readonly patience: SearchLimits;
  /** The walk continues after this id. */
  readonly after: string | undefined;
  /** A monotonic clock. */
  readonly nowMs?: () => number;
}

/** Whether the database ended a statement because of its time limit. */
export const isEnded = (error: unknown): boolean => error instanceof DatabaseUnavailable && error.isEnded;

/** Searches along the walk, window by window. */
export class WindowWalk {
  /** Everything up to this id was searched. */
  position: string | undefined;
  /** There is nothing after `position`. */
  isAtEnd = false;
  private rows: number;
  private hasMoved = false;
  /** The next window has no time limit: otherwise pages might never make progress. */
  private isWaitedFor = false;
  private readonly nowMs: () => number;
  private readonly startedMs: number;
  private begunMs = 0;

  constructor(
    private readonly walk: Walk,
    private readonly ask: AskIds,
    private readonly options: WalkOptions,
  ) {
    const { patience, after, nowMs = () => performance.now() } = options;
    this.position = after;
    this.rows = walk.isSparse ? Math.min(patience.rows, SPARSE_ROWS) : patience.rows;
    this.nowMs = nowMs;
    this.startedMs = nowMs();
  }

  /** Whether another window is to be searched. */
  get goesOn(): boolean {
    return !this.isAtEnd && (this.isInTime || (this.isWaitedFor && !this.hasMoved));
  }

  get isInTime(): boolean {
    return this.nowMs() - this.startedMs < this.options.patience.ms;
  }

  /** How long a statement about the window may take. */
  get limit(): QueryOptions {
    const { endMs } = this.options.patience;
    if (endMs === undefined || this.isWaitedFor) return {};
    return { endAfterMs: Math.max(1, Math.ceil(this.startedMs + endMs - this.nowMs())) };
  }

  /**
   * Searches the next window. If that takes too long, nothing of it counts as searched, and a smaller window follows if the walk has
   * made no progress yet.
   *
   * @param look must keep to `limit` and report its progress with `done` or `doneUpTo`
   */
  async next(look: (window: EventWindow) => Promise<void>): Promise<void> {
    this.begunMs = this.nowMs();
    try {
      // Without an end, PostgreSQL may read and sort the whole log if it has no statistics about the log yet.
      const isEndless = this.walk.isExact && !this.isWaitedFor;
      await look({ after: this.position, upTo: isEndless ? undefined : await this.endOfWindow() });
    } catch (error) {
      if (!isEnded(error) || this.isWaitedFor) throw error;
      this.isWaitedFor = true;
      this.rows = Math.min(this.rows, MIN_ROWS);
    }
  }

  /** Called when the whole window was searched. */
  done({ upTo }: EventWindow): void {
    if (upTo === undefined) this.isAtEnd = true;
    else this.position = upTo;
    this.adapt();
  }

  /** Called when the window was searched up to this id. */
  doneUpTo(id: string): void {
    this.position = id;
    this.adapt();
  }

  private adapt(): void {
    this.hasMoved = true;
    const nowMs = this.nowMs();
    const tookMs = Math.max(nowMs - this.begunMs, 1);
    // The last window must fit into the remaining time: one that begins late must not end much after the limit.
    const mayMs = Math.min(WINDOW_MS, this.startedMs + this.options.patience.ms + LATE_MS - nowMs);
    const factor = Math.min(GROWTH, mayMs / tookMs);
    this.rows = Math.max(MIN_ROWS, Math.min(MAX_ROWS, Math.floor(this.rows * factor)));
  }

  /** Determines the last id of the next window. Reads only an index. */
  private async endOfWindow(): Promise<string | undefined> {
    const { alias, where } = this.walk;
    const { direction } = this.options;
    const conditions = where.copy();
    if (this.position !== undefined) addAfter(conditions, `${alias}.id`, this.position, direction);
    const [end] = await this.ask(
      `SELECT ${alias}.id::text AS id FROM events ${alias} WHERE ${conditions.toString()}
       ORDER BY ${alias}.id ${direction} OFFSET ${this.rows - 1} LIMIT 1`,
      conditions.parameters,
      this.limit,
    );
    return end?.id;
  }
}

/** Limits the conditions to the events of the window. */
export function addWindow(where: Conditions, column: string, { after, upTo }: EventWindow, direction: Direction): void {
  if (after !== undefined) addAfter(where, column, after, direction);
  if (upTo !== undefined) where.add(`${column} ${direction === 'asc' ? '<=' : '>='} ?::uuid`, upTo);
}

function addAfter(where: Conditions, column: string, id: string, direction: Direction): void {
  where.add(`${column} ${direction === 'asc' ? '>' : '<'} ?::uuid`, id);
}
