import { refuses, strongestAction } from '../model/actions.js';
import { rememberOnce } from '../detection/structure.js';
import {
  buildFacts,
  MAX_READ_TOOL_CALLS,
  outcomesForToolCall,
  withoutReading,
  type FactInput,
} from '../facts/build-facts.js';
import type { DecodedCall, ToolCall } from '../model/call.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import type { Decision, DecisionAction, RedactSpec } from '../model/decision.js';
import type { DetectorOutcome } from '../model/finding.js';
import { judgeStage } from './judge-stage.js';

/** The properties of an answer that are known before its first character. */
export interface ExpectedAnswer {
  readonly policy: CompiledPolicy;
  readonly facts: Pick<FactInput, 'context' | 'structures' | 'ledger' | 'session'> & { readonly request: DecodedCall };
  /** Findings of the request: tool calls are also judged by them. */
  readonly requestOutcomes: readonly DetectorOutcome[];
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * The verdict on an answer that is still coming: its texts are judged again whenever more is found in them, each tool call
 * when it is complete. Whoever has let a part of an answer go cannot take it back, so what refuses it once refuses it.
 */
export class GrowingAnswer {
  /** What the rules of the answer's texts say by all that has been found so far. */
  private texts: Decision | undefined;
  private action: DecisionAction = 'allow';
  private judgedCalls = 0;
  private readonly once = rememberOnce();
  /** What does not depend on the answer. */
  private readonly steady: ExpectedAnswer['facts']['structures'];

  constructor(private readonly known: ExpectedAnswer) {
    this.steady = known.facts.structures.filter(({ reads }) => reads === 'ledger');
  }

  /** Whether a rule refuses the answer. */
  get isRefused(): boolean {
    return refuses(this.action);
  }

  /** How findings are masked wherever they stand in the answer. */
  get redact(): readonly RedactSpec[] {
    return this.texts?.redact ?? [];
  }

  /** Judges the texts by all that has been found in the answer so far. */
  async judgeTexts(call: DecodedCall, outcomes: readonly DetectorOutcome[]): Promise<Decision> {
    const { policy, nowMs, facts: known } = this.known;
    const facts = buildFacts({ ...known, structures: this.steady, call, outcomes });
    const decision = await judgeStage(policy, { stage: 'post', nowMs, facts, clientMonitor: false });
    this.texts = decision;
    this.add(decision.action);
    return decision;
  }

  /** Judges a tool call that is complete. @param call the answer with the calls that are judged together */
  async judgeToolCall(toolCall: ToolCall, call: DecodedCall, outcomes: readonly DetectorOutcome[]): Promise<Decision> {
    this.judgedCalls++;
    const decision = await this.decideToolCall(toolCall, call, outcomes);
    this.add(decision.action);
    return decision;
  }

  /**
   * Asks about a tool call of which only the name is known for sure.
   *
   * @param early the rules whose word counts already, as no argument can change it
   */
  async judgeBegunCall(
    toolCall: ToolCall,
    call: DecodedCall,
    outcomes: readonly DetectorOutcome[],
    early: ReadonlySet<string>,
  ): Promise<void> {
    const { fired } = await this.decideToolCall(toolCall, call, outcomes);
    if (fired.some(({ rule, enforced, unavailable }) => enforced && !unavailable && early.has(rule))) this.add('block');
  }

  /** Something would have to be masked in what the provider has signed: it goes on as it is, or not at all. */
  refuseSigned(): void {
    this.add('block');
  }

  private async decideToolCall(
    toolCall: ToolCall,
    call: DecodedCall,
    found: readonly DetectorOutcome[],
  ): Promise<Decision> {
    const { policy, nowMs, facts: known, requestOutcomes } = this.known;
    const structures = this.judgedCalls <= MAX_READ_TOOL_CALLS ? known.structures : withoutReading(known.structures);
    const outcomes = outcomesForToolCall(toolCall, found, requestOutcomes);
    const facts = buildFacts({ ...known, structures, once: this.once, call, toolCall, outcomes });
    return judgeStage(policy, { stage: 'tool', nowMs, facts, clientMonitor: false });
  }

  private add(action: DecisionAction): void {
    this.action = strongestAction([this.action, action]);
  }
}
