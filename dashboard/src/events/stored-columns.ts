/** The columns chosen by a person, with order and width; stored in the browser. */
import { useSyncExternalStore } from 'react';
import { onChangeElsewhere } from '../parts/other-tabs.ts';
import { columnOf, type Column } from './columns.tsx';

const IDS = 'weir.columns';
const WIDTHS = 'weir.column-widths';
const DEFAULT = ['time', 'outcome', 'rule', 'app', 'model', 'weir', 'tokens', 'cost'];
const NARROWEST_PX = 48;
const WIDEST_PX = 800;
const listeners = new Set<() => void>();

/** Columns that this version does not know are skipped. */
function wanted(): readonly Column[] {
  const known = new Set(
    stored<readonly unknown[]>(IDS, []).flatMap((id) => (typeof id === 'string' ? (columnOf(id) ?? []) : [])),
  );
  const columns = known.size > 0 ? [...known] : DEFAULT.flatMap((id) => columnOf(id) ?? []);
  const widths = storedWidths();
  return columns.map((column) => {
    const px = widths.get(column.id);
    return px === undefined ? column : { ...column, px, isSet: true };
  });
}

function stored<T>(name: string, otherwise: T): T {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    return typeof value === 'object' && value !== null && Array.isArray(value) === Array.isArray(otherwise)
      ? (value as T)
      : otherwise;
  } catch {
    return otherwise;
  }
}

function storedWidths(): Map<string, number> {
  const pairs = Object.entries(stored<Readonly<Record<string, unknown>>>(WIDTHS, {}));
  return new Map(pairs.flatMap(([id, px]) => (typeof px === 'number' ? [[id, within(px)]] : [])));
}

const within = (px: number): number => Math.round(Math.min(Math.max(px, NARROWEST_PX), WIDEST_PX));

let now = wanted();

function changed(): void {
  now = wanted();
  for (const listener of listeners) listener();
}

/** @param ids null: the default columns with their default widths */
export function setColumns(ids: readonly string[] | null): void {
  if (ids === null) {
    localStorage.removeItem(IDS);
    localStorage.removeItem(WIDTHS);
  } else localStorage.setItem(IDS, JSON.stringify(ids));
  changed();
}

/** @param px undefined: automatic width */
export function setWidth(id: string, px: number | undefined): void {
  const widths = storedWidths();
  if (px === undefined) widths.delete(id);
  else widths.set(id, within(px));
  localStorage.setItem(WIDTHS, JSON.stringify(Object.fromEntries(widths)));
  changed();
}

onChangeElsewhere(IDS, changed);
onChangeElsewhere(WIDTHS, changed);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useColumns = (): readonly Column[] => useSyncExternalStore(subscribe, () => now);
