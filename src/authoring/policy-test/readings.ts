import type { DecodedCall, Segment, ToolCall } from '../../core/model/call.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { DetectorOutcome } from '../../core/model/finding.js';
import { bindStructures, type BoundStructure } from '../../core/detection/bind-structures.js';
import type { FactSet } from '../../core/model/fact.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';

type Scans = WeakMap<readonly Segment[], readonly DetectorOutcome[]>;

/**
 * The results of detectors and structure plugins for the calls of one test run. Most environments configure them equally, and then the
 * results for a test's call are equal as well: every call is read once for each configuration.
 */
export class Readings {
  private readonly byPolicy = new WeakMap<CompiledPolicy, Reading>();
  private readonly made = new Map<string, Reading>();

  constructor(private readonly plugins: PluginCatalog) {}

  /** The cached results for the detectors, structure plugins and budgets of a policy. */
  of(policy: CompiledPolicy): Reading {
    const known = this.byPolicy.get(policy);
    if (known !== undefined) return known;
    // Read from the canonical policy: bound options may contain values that JSON does not distinguish.
    const { detectors, structures, budgets } = JSON.parse(policy.canonical) as Readonly<Record<string, unknown>>;
    const setUp = JSON.stringify([detectors, structures, budgets]);
    const reading = this.made.get(setUp) ?? new Reading(bindStructures(policy, this.plugins));
    this.made.set(setUp, reading);
    this.byPolicy.set(policy, reading);
    return reading;
  }
}

/** Cached results for calls under one configuration of detectors, structure plugins and budgets. */
export class Reading {
  /** The structure plugins, which read each call only once, and the ledger plugins. */
  readonly structures: readonly BoundStructure[];
  private readonly scans: Readonly<Record<DetectorMode, Scans>> = {
    local: new WeakMap(),
    stub: new WeakMap(),
    live: new WeakMap(),
  };

  constructor(structures: readonly BoundStructure[]) {
    this.structures = structures.map(readingOnce);
  }

  /** @param segments the cache key: the list of one test's call or request, which no other test shares */
  async outcomes(
    segments: readonly Segment[],
    mode: DetectorMode,
    scan: () => Promise<readonly DetectorOutcome[]>,
  ): Promise<readonly DetectorOutcome[]> {
    const scans = this.scans[mode];
    const found = scans.get(segments) ?? (await scan());
    scans.set(segments, found);
    return found;
  }
}

/** Caches facts by call and judged tool call. This suffices because a test's call determines its request. */
function readingOnce(structure: BoundStructure): BoundStructure {
  if (structure.reads === 'ledger') return structure;
  const known = new WeakMap<DecodedCall, Map<ToolCall | undefined, FactSet>>();
  return {
    ...structure,
    read: (call, context, ledger) => {
      const byToolCall = known.get(call) ?? new Map<ToolCall | undefined, FactSet>();
      known.set(call, byToolCall);
      const facts = byToolCall.get(context.toolCall) ?? structure.read(call, context, ledger);
      byToolCall.set(context.toolCall, facts);
      return facts;
    },
  };
}
/**
 * Which detectors scan the texts of a test. `local`: every detector that needs no service; annotations replace the findings of remote
 * detectors. `stub`: annotations replace all findings, except those of the policy's own patterns and words. `live`: all detectors.
 */
export const DETECTOR_MODES = ['local', 'stub', 'live'] as const;
export type DetectorMode = (typeof DETECTOR_MODES)[number];
