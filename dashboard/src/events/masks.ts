/** The data of an event about a mask in its text. */
import type { CallEvent, Schemas, Violation } from '../api/types.ts';

/** A mask as the API returns it; fields that the playground does not return may be absent. */
export type Mask = Omit<Schemas['Mask'], 'rule' | 'detector'> & {
  readonly detector: string | null;
  readonly rule?: string | null;
};

/**
 * The effect of the rules on a finding: it was masked in the forwarded text; it blocked the call; its rule only reports, but would have
 * masked it or blocked the call; or it is masked only in the log.
 */
export type MaskKind = 'masked' | 'blocked' | 'would' | 'kept';

/** The effect of an enforced rule on its findings, by action. */
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

/** Masks by the place of their text in JSON: the object or array, and the name or index in it. */
export type MasksByPlace = ReadonlyMap<object, ReadonlyMap<string, readonly Mask[]>>;

/**
 * Finds the texts of a value that have masks.
 * @param path the path of the value; masks outside it are skipped
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

/** Follows a path of `.name`, `[2]` for an array item and `{2}` for the third member; names may contain dots. */
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

/** The masks of an event, or of a trial in the playground, and the data shown about them. */
export interface MaskDetails {
  readonly masks: readonly Mask[];
  readonly kindOf: (mask: Mask) => MaskKind;
  /** The version of a detector, if the record has it. */
  readonly versionOf?: (detector: string) => string | undefined;
  /** The facts of each stage, which contain the scores of detectors. */
  readonly facts: readonly unknown[];
  /** The event, for links to calls like it; absent if no event has the text. */
  readonly event?: Pick<CallEvent, 'environment' | 'received_at'>;
}
