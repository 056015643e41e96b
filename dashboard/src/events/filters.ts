/** Filters of events as they stand in the address: the API's own names. */
import type { Search } from '../shell/view.ts';

export const FILTERS: Readonly<Record<string, string>> = {
  outcome: 'Outcome',
  decision: 'Decision',
  type: 'Type',
  app: 'App',
  rule: 'Rule',
  exception: 'Exception',
  model: 'Model',
  provider: 'Provider',
  session: 'Session',
  request_id: 'Request',
  key: 'Key',
  mark: 'Mark',
  min_cost_usd: 'Cost from',
  min_weir_ms: 'Weir from',
  q: 'Text',
};
/** Parameters that are no filters. */
const OTHERS = new Set(['env', 'range', 'from', 'to', 'live', 'view', 'peek']);

export interface Filter {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}

export function filtersOf(search: Search): { readonly known: readonly Filter[]; readonly unknown: readonly string[] } {
  const known: Filter[] = [];
  const unknown: string[] = [];
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined || OTHERS.has(name)) continue;
    const plain = name.startsWith('not.') ? name.slice(4) : name;
    const label = Object.hasOwn(FILTERS, plain)
      ? FILTERS[plain]
      : plain.startsWith('metadata.')
        ? plain.slice(9)
        : undefined;
    if (label === undefined) unknown.push(name);
    else known.push({ name, label: name.startsWith('not.') ? `not ${label}` : label, value });
  }
  return { known, unknown };
}

export function queryOf(filters: readonly Filter[]): Record<string, string> {
  return Object.fromEntries(filters.map(({ name, value }) => [name, value]));
}

/** `rule:x app:y words` as typed into the box; what has no name is text. */
export function typedFilters(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  const words: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, name, value] = /^([\w.]+):(.+)$/.exec(word) ?? [];
    const isFilter = name !== undefined && (Object.hasOwn(FILTERS, name) || name.startsWith('metadata.'));
    if (isFilter && value !== undefined) found[name] = value;
    else words.push(word);
  }
  if (words.length > 0) found['q'] = words.join(' ');
  return found;
}
