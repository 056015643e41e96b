import type { StageSnapshot } from '../../core/stored/fact-snapshot.js';

/** A recorded stage, and what the policy masks at this stage. */
export interface MaskedStage {
  readonly snapshot: StageSnapshot;
  /** The kinds of findings, as `detector/CODE`. */
  readonly masks: ReadonlySet<string>;
}

/** Whether a policy masks everything that was masked in a recorded call. */
export type Masking = 'all' | 'not all' | 'cannot tell';

/** @param event the event as in the API and in exports */
export function maskingOf(event: unknown, stages: readonly MaskedStage[]): Masking {
  // Only where a redact rule was enforced could a value be masked.
  const masking = stages.filter(({ snapshot: { fired } }) =>
    fired.some(({ action, enforced }) => enforced && action === 'redact'),
  );
  const earlier = masking.filter(({ snapshot: { masked } }) => masked === undefined);
  const results = [
    ...masking.flatMap((stage) => (stage.snapshot.masked ?? []).map((kind) => masksKind(kind, stage, stages))),
    ...(earlier.length === 0 ? [] : fromTypes(event, earlier, stages)),
  ];
  return results.find((one) => one === 'not all') ?? results.find((one) => one === 'cannot tell') ?? 'all';
}

/** Rules of the stages `pre` and `post` mask the whole call, those of stage `tool` only the tool call that is judged. */
function masksKind(kind: string, before: MaskedStage, stages: readonly MaskedStage[]): Masking {
  const now = stages.filter(({ masks }) => masks.has(kind));
  if (now.length === 0) return 'not all';
  return now.some((stage) => stage === before || stage.snapshot.stage !== 'tool') ? 'all' : 'cannot tell';
}

/**
 * Records of earlier versions contain only the types that the caller got: a code, or the label of a redact rule, which may stand for
 * several codes.
 */
function fromTypes(event: unknown, earlier: readonly MaskedStage[], stages: readonly MaskedStage[]): Masking[] {
  const types = redactedTypes(event);
  if (types === undefined) return ['cannot tell'];
  const found = earlier.flatMap((stage) => foundIn(stage.snapshot).map((kind) => ({ kind, stage })));
  const isNamed = ({ kind }: { readonly kind: string }, type: string): boolean => kind.endsWith(`/${type}`);
  return types.map((type) => {
    const named = found.filter((one) => isNamed(one, type));
    const unnamed = found.filter((one) => !types.some((other) => isNamed(one, other)));
    return together((named.length > 0 ? named : unnamed).map(({ kind, stage }) => masksKind(kind, stage, stages)));
  });
}

function together(results: readonly Masking[]): Masking {
  const [first, ...others] = results;
  return first !== undefined && others.every((one) => one === first) ? first : 'cannot tell';
}

/** The kinds of a stage's findings, as `detector/CODE`. */
function foundIn({ facts }: StageSnapshot): string[] {
  return Object.entries(facts).flatMap(([detector, value]) => {
    if (typeof value !== 'object' || value === null || !('types' in value) || !('counts' in value)) return [];
    const types: unknown = value.types;
    const codes: readonly unknown[] = Array.isArray(types) ? types : [];
    return codes.flatMap((code) => (typeof code === 'string' ? `${detector}/${code}` : []));
  });
}

/** Undefined if the event does not contain its redactions, for example in an export of some columns. */
function redactedTypes(event: unknown): string[] | undefined {
  if (typeof event !== 'object' || event === null || !('redactions' in event)) return undefined;
  const { redactions } = event;
  if (!Array.isArray(redactions)) return undefined;
  const types = redactions.map((one: unknown) =>
    typeof one === 'object' && one !== null && 'type' in one && typeof one.type === 'string' ? one.type : undefined,
  );
  return types.every((type) => type !== undefined) ? [...new Set(types)] : undefined;
}
