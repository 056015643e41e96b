/** The data of an event about a mask in its text. */
import type { CallEvent, Schemas, Violation } from '../api/types.ts';

/** As the API tells it; what the playground does not say is absent. */
export type Mask = Omit<Schemas['Mask'], 'rule' | 'detector'> & {
  readonly detector: string | null;
  readonly rule?: string | null;
};

/**
 * What became of what was found: it was masked on its way, it stopped the call, it would have been masked or stopped
 * where the rule only reports, or it is masked in the log alone.
 */
export type MaskKind = 'masked' | 'blocked' | 'would' | 'kept';

/** What an enforced rule does to what it masks in the log. */
const KIND_OF_ACTION: Readonly<Record<Violation['action'], MaskKind>> = {
  block: 'blocked',
  redact: 'masked',
  flag: 'kept',
};

export function kindOf({ rule }: Mask, { violations }: Pick<CallEvent, 'violations'>): MaskKind {
  const own = violations.filter((violation) => violation.rule === rule);
  if (own.length === 0) return 'kept';
  const acting = own.filter(({ enforced }) => enforced);
  const kinds = acting.map(({ action }) => KIND_OF_ACTION[action]);
  for (const kind of ['blocked', 'masked'] as const) if (kinds.includes(kind)) return kind;
  return own.some(({ action }) => KIND_OF_ACTION[action] !== 'kept') ? 'would' : 'kept';
}

export const KIND_WORDS: Readonly<Record<MaskKind, string>> = {
  masked: 'Masked by its rule',
  blocked: 'Stopped the call',
  would: 'Would have acted; the rule only reports',
  kept: 'Masked only in the log',
};

/** Where in JSON a text stands: what holds it, and under which name or number. */
export type MasksByPlace = ReadonlyMap<object, ReadonlyMap<string, readonly Mask[]>>;

/**
 * Which texts of a value have masks.
 * @param path of the value; masks of other values are left out
 */
export function masksWithin(value: unknown, path: string, masks: readonly Mask[]): MasksByPlace {
  const places = new Map<object, Map<string, Mask[]>>();
  for (const mask of masks) {
    if (!mask.path.startsWith(path)) continue;
    const place = placeOf(value, mask.path.slice(path.length));
    if (place === undefined) continue;
    const own = places.get(place.holder) ?? new Map<string, Mask[]>();
    places.set(place.holder, own);
    own.set(place.name, [...(own.get(place.name) ?? []), mask]);
  }
  return places;
}

interface Place {
  readonly holder: object;
  readonly name: string;
}

/** `.name`, `[2]` for an item and `{2}` for the third member, again and again; names may hold dots. */
function placeOf(value: unknown, path: string): Place | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const [, item, position, rest] = /^(?:\[(\d+)\]|\{(\d+)\})(.*)$/s.exec(path) ?? [];
  if (rest !== undefined) {
    const name = item ?? Object.keys(value)[Number(position)];
    return name === undefined ? undefined : goneOn(value, name, rest);
  }
  const named = path.startsWith('.') ? path.slice(1) : path;
  for (const name of Object.keys(value)) {
    if (name === '' || !named.startsWith(name) || !/^(?:[.[{]|$)/.test(named.slice(name.length))) continue;
    const found = goneOn(value, name, named.slice(name.length));
    if (found !== undefined) return found;
  }
  return undefined;
}

function goneOn(holder: object, name: string, rest: string): Place | undefined {
  const value: unknown = (holder as Readonly<Record<string, unknown>>)[name];
  if (rest !== '') return placeOf(value, rest);
  return typeof value === 'string' ? { holder, name } : undefined;
}

/** The masks of an event, and what is to be said of them. */
export interface MaskTeller {
  readonly masks: readonly Mask[];
  readonly kindOf: (mask: Mask) => MaskKind;
  /** Of a detector, where the record has it. */
  readonly versionOf?: (detector: string) => string | undefined;
}
