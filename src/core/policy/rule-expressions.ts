import { RE2JS } from 're2js';
import { expressionCost } from '../detection/engine/expression-cost.js';

const MAX_PATTERN = 500;
/** Maximum steps of a compiled expression: a short text with counted repeats can compile to a very large one. */
const MAX_STEPS = 1_000;
/** The maximum time to compile the expressions of all rules, in microseconds: a stage compiles its expressions at once. */
const MAX_COST = 200_000;
const STEP_MICROS = 3;

/** The reason why an expression cannot be used, written for the author of the policy. */
interface ExpressionProblem {
  readonly message: string;
  readonly hint?: string;
}

/** The regular expressions in the rules of one policy. Each is compiled once, however often a condition is used. */
export class RuleExpressions {
  private readonly known = new Map<string, ExpressionProblem | undefined>();
  private cost = 0;

  /** Undefined for an expression that can be used. */
  problemOf(source: string): ExpressionProblem | undefined {
    if (!this.known.has(source)) this.known.set(source, this.check(source));
    return this.known.get(source);
  }

  private check(source: string): ExpressionProblem | undefined {
    if (source.length > MAX_PATTERN) return { message: `the expression has more than ${MAX_PATTERN} characters` };
    this.cost += expressionCost(source, false);
    if (this.cost > MAX_COST) return TOO_COSTLY;
    try {
      const steps = RE2JS.compile(source).programSize();
      this.cost += steps * STEP_MICROS;
      if (steps <= MAX_STEPS) return this.cost > MAX_COST ? TOO_COSTLY : undefined;
      return { message: 'the expression is too large', hint: 'use fewer or smaller counted repeats' };
    } catch (error) {
      const reason = error instanceof Error ? error.message.slice(0, 160) : 'not understood';
      return { message: `not an RE2 expression: ${reason}`, hint: 'RE2 has no back-references and no look-around' };
    }
  }
}

const TOO_COSTLY: ExpressionProblem = {
  message: 'the expressions of all rules together take too long to compile',
  hint: 'use fewer classes such as \\p{L}, narrower ranges, and fewer or smaller counted repeats',
};
