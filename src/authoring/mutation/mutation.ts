import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { Stage } from '../../core/model/fact.js';
import type { SourcePlace } from '../../core/model/policy-sources.js';

/** One small mistake that a person could make in the policy files. */
export interface Mutation {
  /** A description of the change, such as `drop condition tool.name in $lists.dangerous_tools`. */
  readonly text: string;
  readonly at: SourcePlace;
  /** The changed leaf of the policy format, by its path in `LEAF_CLASSES`. */
  readonly leaf: string;
  /** The rules or exceptions to which the mutation belongs; for a list, the rules and exceptions that read it; empty for a setting. */
  readonly owners: readonly string[];
  /** Stages whose decisions it can change. */
  readonly stages: readonly Stage[];
  /** Only tests can detect it, because the search for a witness tries only requests whose content is text. */
  readonly isBeyondTexts?: true;
  /** The changed list, budget, price, detector or setting, such as `budget team`. */
  readonly part?: string;
  /** Detectors have to scan the texts of tests again, because they have other findings. */
  readonly isOfDetector?: true;
  /** Its effect, in words, if no request can show it. */
  readonly why?: string;
  apply(policy: CompiledPolicy): CompiledPolicy;
}
