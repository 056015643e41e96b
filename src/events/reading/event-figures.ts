/** The number of matching events, and the facets of their values: reads no payload unless a text is searched. */
import type { QueryOptions, TenantSql } from '../../database/index.js';
import { Conditions, type EventFilters } from './event-filters.js';
import { callsById, eventsById } from './event-look-up.js';
import { searchedTo, searchEvents, walkAlong, type Search } from './event-search.js';
import { directionOf, finalOutcome, ofCall, selectionOf, type Selection } from './event-selection.js';
import type { EventWindow, SearchLimits, WindowWalk } from './event-windows.js';
import { askingAccounts, type AskAccount } from './ask-account.js';
import { FacetSum, type FacetRow, type Facets } from './facet-sum.js';

/** The maximum count, reported as "10,000+". */
export const COUNT_CAP = 10_000;
/** Number of the newest matching events in which values are counted. */
const SAMPLE = 10_000;
/** The size of the sample if a text is searched. */
const TEXT_SAMPLE = 2_000;
/** Number of values that each part of the sample returns beyond those shown: they may rank higher when the parts are added up. */
const MORE_VALUES = 100;
/** Limits of figures beside a page; people wait for the page, not for the figures. */
const FIGURE_PATIENCE: SearchLimits = { ms: 90, endMs: 160, rows: 2_000 };
/** Limits of counting: a count that ends early is of little use, so counting may take longer than the page. */
const COUNT_PATIENCE: SearchLimits = { ...FIGURE_PATIENCE, ms: 180, endMs: 250 };
/** Limits if the other events of each call have to be read. */
const LOOKING_UP: SearchLimits = { ...FIGURE_PATIENCE, rows: 300 };
/** Fields whose value depends on all events of a call. */
const OF_ALL_EVENTS: readonly string[] = ['outcome', 'rule'];

export interface EventCount {
  readonly count: number;
  /** Whether there are, or may be, more events than counted. */
  readonly capped: boolean;
  /** RFC 3339: only events received since then were counted. */
  readonly searched_to: string | null;
}

/** Facet → the column of the sample that holds its values. */
const COLUMN_FACETS = {
  ...{ app: 's.app_id::text', model: 's.model', provider: 's.provider', environment: 's.environment', type: 's.type' },
  ...{ key: 's.key_id', decision: 's.decision', outcome: 's.outcome', session: 's.session_id' },
} as const;
export const FACETS = [...Object.keys(COLUMN_FACETS), 'rule', 'metadata'];

type Counted = { readonly count: number } & Pick<Search, 'reached' | 'isComplete'>;

interface SamplePart {
  readonly window?: EventWindow;
  readonly ids?: readonly string[];
  readonly most: number;
  readonly limit: number;
  readonly within?: QueryOptions;
}

export class EventFigures {
  private readonly ask: AskAccount;

  constructor(sql: TenantSql) {
    this.ask = askingAccounts(sql);
  }

  /**
   * Counts up to `COUNT_CAP`, within the time for which a person waits.
   *
   * @throws EventLogUnavailable
   */
  async count(filters: EventFilters): Promise<EventCount> {
    const { count, reached, isComplete } =
      filters.text === undefined ? await this.countWindows(filters) : await this.countTexts(filters);
    const isOver = count > COUNT_CAP;
    return {
      count: Math.min(count, COUNT_CAP),
      capped: isOver || !isComplete,
      searched_to: isOver ? null : searchedTo({ reached, isComplete }),
    };
  }

  /**
   * The most frequent values of each field among the newest matching events or calls.
   *
   * @param fields of `FACETS`, or `metadata.<path>`
   * @throws EventLogUnavailable
   */
  async facets(
    filters: EventFilters,
    fields: readonly string[],
    limit: number,
    patience: SearchLimits = patienceFor(filters, fields),
  ): Promise<Facets> {
    const sum = new FacetSum(fields);
    if (filters.text === undefined) {
      const walk = walkAlong(this.ask, filters, patience, undefined);
      const look = async (window: EventWindow): Promise<void> => {
        const part = { window, most: SAMPLE - sum.of, limit, within: walk.limit };
        sum.add(await this.facetRows(filters, fields, part));
        walk.done(window);
      };
      do await walk.next(look);
      while (walk.goesOn && sum.of < SAMPLE);
      return sum.facets(limit, sum.of >= SAMPLE || !walk.isAtEnd, searchedTo(stateOf(walk)));
    }
    const search = await searchEvents(this.ask, { ...filters, fields: 'summary' }, { patience, most: TEXT_SAMPLE });
    sum.add(await this.facetRows(filters, fields, { ids: search.found.map(({ id }) => id), most: TEXT_SAMPLE, limit }));
    return sum.facets(limit, !search.isComplete, searchedTo(search));
  }

  private async countWindows(filters: EventFilters): Promise<Counted> {
    const walk = walkAlong(this.ask, filters, COUNT_PATIENCE, undefined);
    let count = 0;
    const look = async (window: EventWindow): Promise<void> => {
      const { from, where } = selectionOf(filters, window);
      const [row] = await this.ask<{ readonly n: number }>(
        filters.manager.accountId,
        `SELECT count(*)::integer AS n FROM (SELECT 1 FROM ${from} WHERE ${where.toString()} LIMIT ${COUNT_CAP + 1 - count}) m`,
        where.parameters,
        walk.limit,
      );
      count += row?.n ?? 0;
      walk.done(window);
    };
    do await walk.next(look);
    while (walk.goesOn && count <= COUNT_CAP);
    return { count, ...stateOf(walk) };
  }

  private async countTexts(filters: EventFilters): Promise<Counted> {
    const options = { patience: FIGURE_PATIENCE, most: COUNT_CAP + 1 };
    const { found, ...state } = await searchEvents(this.ask, { ...filters, fields: 'summary' }, options);
    return { count: found.length, ...state };
  }

  private async facetRows(filters: EventFilters, fields: readonly string[], part: SamplePart): Promise<FacetRow[]> {
    const selection = part.ids === undefined ? selectionOf(filters, part.window) : foundOnes(filters, part.ids);
    const { from, where, at, shown } = selection;
    const names = ['account_id', 'id', 'app_id', 'model', 'provider', 'environment', 'type', 'key_id', 'decision'];
    const isCalls = filters.view === 'calls';
    const rules = `ARRAY(SELECT DISTINCT x FROM events p, unnest(p.rules) x WHERE ${ofCall('p', 'r.id')} AND ${selection.near('p')})`;
    const columns = [
      ...[...names, 'session_id', 'metadata_index'].map((name) => `${shown}.${name}`),
      // Values that need other events are selected only if they are shown.
      isCalls && fields.includes('outcome') ? `${finalOutcome(selection)} AS outcome` : `${shown}.outcome`,
      isCalls && fields.includes('rule') ? `${rules} AS rules` : `${shown}.rules`,
    ];
    const parts = fields.map((field) => {
      const name = where.parameter(field);
      const [values, join] = valuesOf(field, (value) => where.parameter(value));
      return `(SELECT ${name}::text AS field, ${values} AS value, count(*)::integer AS n FROM sample s${join}
        WHERE ${values} IS NOT NULL GROUP BY 2 ORDER BY 3 DESC, 2 LIMIT ${part.limit + MORE_VALUES})`;
    });
    return this.ask<FacetRow>(
      filters.manager.accountId,
      `WITH sample AS MATERIALIZED (SELECT ${columns.join(', ')} FROM ${from} WHERE ${where.toString()}
         ORDER BY ${at} ${directionOf(filters)} LIMIT ${part.most}),
       counted AS (${['SELECT NULL::text AS field, NULL::text AS value, count(*)::integer AS n FROM sample', ...parts].join('\nUNION ALL ')})
       SELECT c.field, c.value, c.n,
              CASE WHEN c.field = 'app' THEN (SELECT a.name FROM apps a WHERE a.account_id = $1::uuid AND a.id = c.value::uuid) END AS label
       FROM counted c`,
      where.parameters,
      part.within,
    );
  }
}

const patienceFor = ({ view }: EventFilters, fields: readonly string[]): SearchLimits =>
  view === 'calls' && fields.some((field) => OF_ALL_EVENTS.includes(field)) ? LOOKING_UP : FIGURE_PATIENCE;

/** A FROM clause of the events known to match, each looked up in its partition. */
function foundOnes({ manager, view }: EventFilters, ids: readonly string[]): Selection {
  const where = new Conditions();
  where.addTerms(['true']);
  if (view === 'calls') {
    return { ...callsById(where, manager.accountId, ids), where, at: 'r.id', shown: 'r' };
  }
  const from = eventsById(where, manager.accountId, ids, 'e');
  return { from, where, at: 'e.id', shown: 'e', near: () => 'true' };
}

const stateOf = ({ position, isAtEnd }: WindowWalk): Pick<Search, 'reached' | 'isComplete'> => ({
  reached: position,
  isComplete: isAtEnd,
});

/** The expression of a field's values in the sample `s`, and the join that it requires. */
function valuesOf(field: string, parameter: (value: string) => string): readonly [string, string] {
  if (field === 'rule') return ['x.value', ' CROSS JOIN LATERAL unnest(s.rules) AS x (value)'];
  if (field === 'metadata') return ['x.value', ' CROSS JOIN LATERAL jsonb_object_keys(s.metadata_index) AS x (value)'];
  if (field.startsWith('metadata.')) {
    const path = parameter(field.slice('metadata.'.length));
    return ['x.value', ` CROSS JOIN LATERAL jsonb_array_elements_text(s.metadata_index -> ${path}::text) AS x (value)`];
  }
  return [COLUMN_FACETS[field as keyof typeof COLUMN_FACETS], ''];
}
