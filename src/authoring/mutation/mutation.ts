import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import type { Stage } from '../../core/model/fact.js';
import type { SourcePlace } from '../../core/model/policy-sources.js';

/** One small mistake that a person could make in the policy files. */
export interface Mutation {
  /** What is otherwise, such as `drop condition tool.name in $lists.dangerous_tools`. */
  readonly text: string;
  readonly at: SourcePlace;
  /** The rule or exception that it is a part of; undefined for a setting. A list counts for the rules that read it. */
  readonly owners: readonly string[];
  /** Stages whose decisions it can change. */
  readonly stages: readonly Stage[];
  /** Only tests can tell it: the requests that are searched for a witness have texts alone. */
  readonly isBeyondTexts?: true;
  /** The list, budget, price, detector or setting that it is a part of, such as `budget team`. */
  readonly part?: string;
  /** Detectors look into the texts of tests anew: they find something else. */
  readonly isOfDetector?: true;
  /** What it does, where no request shows it. */
  readonly why?: string;
  apply(policy: CompiledPolicy): CompiledPolicy;
}
