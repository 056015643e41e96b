import type { FactDefinition, Stage } from '../model/fact.js';
import type { Condition } from './condition-tree.js';
import type { Node, Span } from './source/node.js';
import type { Problems } from './source/problems.js';

/** The names to which conditions can refer, and the stage of their rule. */
export interface ConditionContext {
  readonly facts: readonly FactDefinition[];
  /** Every fact must be there in all of these. Empty: not checked (a named condition on its own). */
  readonly stages: readonly Stage[];
  readonly lists: ReadonlyMap<string, readonly (string | number)[]>;
  readonly conditions: ReadonlyMap<string, Node>;
  /** All codes that the plugin behind a detector key knows, enabled or not. */
  declaredCodes(detector: string): readonly string[];
  /** Names of loaded detectors that the policy does not enable, as roots of facts. */
  readonly dormant: readonly string[];
  /** Keys of detectors that have a problem of their own: nothing is said of their facts beside it. */
  readonly broken: readonly string[];
  readonly problems: Problems;
  /** How many conditions of the policy have been read so far, those that `use` brings in counted each time. */
  readonly size: { conditions: number };
  /** Finds a fact by its name (`resolveFact`), for operands that name one. Undefined after a problem. */
  resolve(name: string, span: Span, context: ConditionContext): FactDefinition | undefined;
  /** Reads a condition inside a condition (`parseCondition`), for operands that hold one. */
  parse(node: Node, context: ConditionContext): Condition | undefined;
}
