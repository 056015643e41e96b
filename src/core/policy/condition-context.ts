import type { FactDefinition, Stage } from '../model/fact.js';
import type { Condition } from './condition-tree.js';
import type { RuleExpressions } from './rule-expressions.js';
import type { Node, Span } from './source/node.js';
import type { Problems } from './source/problems.js';

/** The names to which conditions can refer, and the stage of their rule. */
export interface ConditionContext {
  readonly facts: readonly FactDefinition[];
  /** Every fact must be available in all of these stages. Empty: not checked (a named condition that no rule uses). */
  readonly stages: readonly Stage[];
  readonly lists: ReadonlyMap<string, readonly (string | number)[]>;
  readonly conditions: ReadonlyMap<string, Node>;
  /** All codes that the plugin of this detector declares, enabled or not. */
  declaredCodes(detector: string): readonly string[];
  /** Loaded detectors that the policy does not enable, by the first part of their facts' names. */
  readonly dormant: readonly string[];
  /** Keys of detectors with reported problems: their facts are not reported as unknown in addition. */
  readonly broken: readonly string[];
  readonly problems: Problems;
  /** Number of conditions of the policy read so far; a condition inlined by `use` counts at each use. */
  readonly size: { conditions: number };
  /** The regular expressions of the policy read so far. */
  readonly expressions: Pick<RuleExpressions, 'problemOf'>;
  /** Finds a fact by its name (`resolveFact`), for operands that name one. Undefined after a problem. */
  resolve(name: string, span: Span, context: ConditionContext): FactDefinition | undefined;
  /** Reads a condition inside a condition (`parseCondition`), for operands that contain one. */
  parse(node: Node, context: ConditionContext): Condition | undefined;
}
