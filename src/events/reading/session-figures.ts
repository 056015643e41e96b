/** Figures of a session that are not stored beside the log: they are read from the events of the session, in a limited time. */
import type { Reach } from '../../access/index.js';
import type { SqlRow, TenantSql } from '../../database/index.js';
import { countsLatency } from '../rollups/rollup-statements.js';
import { askingAccounts, type AskAccount } from './ask-account.js';
import type { EventFilters } from './event-filters.js';
import { walkAlong } from './event-search.js';
import { selectionOf } from './event-selection.js';
import type { EventWindow, SearchLimits } from './event-windows.js';

export interface SessionFigures {
  /** Processing time that Weir added to all calls, in milliseconds; null if it is known for none of them. */
  readonly weirMs: number | null;
  /** Ids of the rules that fired, without duplicates. */
  readonly rules: readonly string[];
}

interface Row extends SqlRow {
  readonly environment: string;
  readonly app_id: string;
  readonly weir_ms: number | null;
  readonly rules: string | null;
}

/** A person waits for the figures together with the sums of the session. */
const PATIENCE: SearchLimits = { ms: 180, endMs: 250, rows: 2_000 };

const IS_COUNTED = countsLatency({
  ...{ type: 'e.type', source: 'e.source', outcome: 'e.call_outcome', isRoot: 'e.call_id = e.id' },
});
/** The log contains one `policy.violation` for each rule that fired in an event. */
const RULES = `array_agg(DISTINCT e.rules[1]) FILTER (WHERE e.type = 'policy.violation' AND e.rules IS NOT NULL)`;
const SUMS = [
  ...['e.environment', 'e.app_id::text AS app_id'],
  `sum(e.latency_weir_ms) FILTER (WHERE ${IS_COUNTED}) AS weir_ms`,
  `array_to_json(${RULES})::text AS rules`,
].join(', ');

export class SessionFigureReader {
  private readonly ask: AskAccount;

  constructor(sql: TenantSql) {
    this.ask = askingAccounts(sql);
  }

  /**
   * The figures of all sessions with this id, by app and environment; see `sessionPlace`.
   *
   * @returns null if there are more events than can be read in time
   * @throws EventLogUnavailable
   */
  async of(manager: Reach, sessionId: string): Promise<ReadonlyMap<string, SessionFigures> | null> {
    const filters: EventFilters = { manager, sessionId };
    const walk = walkAlong(this.ask, filters, PATIENCE, undefined);
    const figures = new Map<string, SessionFigures>();
    const look = async (window: EventWindow): Promise<void> => {
      const { from, where } = selectionOf(filters, window);
      const rows = await this.ask<Row>(
        manager.accountId,
        `SELECT ${SUMS} FROM ${from} WHERE ${where.toString()} GROUP BY e.environment, e.app_id`,
        where.parameters,
        walk.limit,
      );
      for (const row of rows) {
        const place = sessionPlace(row.app_id, row.environment);
        figures.set(place, joined(figures.get(place) ?? NONE, row));
      }
      walk.done(window);
    };
    do await walk.next(look);
    while (walk.goesOn);
    return walk.isAtEnd ? figures : null;
  }
}

/** The app and the environment of a session as one text. */
export function sessionPlace(appId: string, environment: string): string {
  return `${appId} ${environment}`;
}

const NONE: SessionFigures = { weirMs: null, rules: [] };

function joined({ weirMs, rules }: SessionFigures, row: Row): SessionFigures {
  const fired = row.rules === null ? [] : (JSON.parse(row.rules) as string[]);
  return {
    weirMs: weirMs === null || row.weir_ms === null ? (weirMs ?? row.weir_ms) : weirMs + row.weir_ms,
    rules: [...new Set([...rules, ...fired])].sort(),
  };
}
