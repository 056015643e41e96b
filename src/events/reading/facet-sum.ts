/** Counts of values, added up over the parts of a sample. */
import type { SqlRow } from '../../database/index.js';

export interface Facet {
  readonly value: string;
  readonly label: string | null;
  readonly count: number;
}

export interface Facets {
  readonly sampled: boolean;
  /** Number of counted events. */
  readonly of: number;
  /** RFC 3339: only events received since this time were counted; null: all were. */
  readonly searched_to: string | null;
  readonly data: Readonly<Record<string, readonly Facet[]>>;
}

/** A value of a field and the number of events with it; without a field, the number of all events. */
export interface FacetRow extends SqlRow {
  readonly field: string | null;
  readonly value: string | null;
  readonly label: string | null;
  readonly n: number;
}

export class FacetSum {
  /** Number of events counted so far. */
  of = 0;
  private readonly counts: ReadonlyMap<string, Map<string, Facet>>;

  constructor(fields: readonly string[]) {
    this.counts = new Map(fields.map((field) => [field, new Map()]));
  }

  add(rows: readonly FacetRow[]): void {
    for (const { field, value, label, n } of rows) {
      if (field === null) this.of += n;
      else if (value !== null) this.count(field, value, label, n);
    }
  }

  facets(limit: number, sampled: boolean, searchedTo: string | null): Facets {
    const data = [...this.counts].map(([field, values]) => [field, mostFrequent(values, limit)]);
    return { sampled, of: this.of, searched_to: searchedTo, data: Object.fromEntries(data) as Facets['data'] };
  }

  private count(field: string, value: string, label: string | null, n: number): void {
    const values = this.counts.get(field);
    values?.set(value, { value, label, count: (values.get(value)?.count ?? 0) + n });
  }
}

function mostFrequent(values: ReadonlyMap<string, Facet>, limit: number): readonly Facet[] {
  return [...values.values()]
    .sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1))
    .slice(0, limit);
}
