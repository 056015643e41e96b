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
import type { FactSet } from '../model/fact.js';
import type { DetectorOutcome } from '../model/finding.js';
import { runInTurnsIfNeeded, type Turns } from '../steps/steps.js';
import { judgeStage } from './judge-stage.js';
import { RestoredCalls } from './restored-calls.js';

/** The properties of an answer that are known before its first character. */
export interface ExpectedAnswer {
  readonly policy: CompiledPolicy;
  readonly facts: Pick<FactInput, 'context' | 'structures' | 'ledger' | 'session'> & { readonly request: DecodedCall };
  /** Outcomes of the request; tool calls are judged by these and the findings of the answer. */
  readonly requestOutcomes: readonly DetectorOutcome[];
  /** The time of the call in milliseconds since the epoch. */
  readonly nowMs: number;
  /** A map from stable tokens of the request to the values that are restored. */
  readonly tokens: ReadonlyMap<string, string>;
  /** Yields to other work while many or long events arrive at once; without it, no other work runs in between. */
  readonly turns?: Turns;
}

/** The outcomes for judging a call. */
interface ScopedOutcomes {
  readonly texts: ToolCall['segments'];
  /** The outcomes in the call itself. */
  readonly found: readonly DetectorOutcome[];
  readonly outcomes: readonly DetectorOutcome[];
}

/**
 * The verdict on an answer that is still streaming: its texts are judged again whenever new findings arrive, each tool call when it is
 * complete. Forwarded parts cannot be taken back, so a refusal is final.
 */
export class GrowingAnswer {
  /** The decision of stage `post` on the findings so far. */
  private texts: Decision | undefined;
  private action: DecisionAction = 'allow';
  private judgedCalls = 0;
  private readonly once = rememberOnce();
  /** Structures that do not depend on the answer: those of ledger plugins. */
  private readonly steady: ExpectedAnswer['facts']['structures'];
  private readonly restored: RestoredCalls;
  /** The outcomes for the last call: all calls within a call have the same texts and findings. */
  private scoped: ScopedOutcomes | undefined;

  constructor(private readonly known: ExpectedAnswer) {
    this.restored = new RestoredCalls(known.tokens);
    this.steady = known.facts.structures.filter(({ reads }) => reads === 'ledger');
  }

  /** Whether a rule refuses the answer. */
  get isRefused(): boolean {
    return refuses(this.action);
  }

  /** The redactions that apply to the whole answer. */
  get redact(): readonly RedactSpec[] {
    return this.texts?.redact ?? [];
  }

  /**
   * Judges the texts by all findings in the answer so far.
   * @param found the facts of the findings of each detector
   */
  async judgeTexts(call: DecodedCall, found: FactSet): Promise<Decision> {
    const { policy, nowMs, facts: known } = this.known;
    const facts = { ...buildFacts({ ...known, structures: this.steady, call, outcomes: [] }), ...found };
    const decision = await judgeStage(policy, { stage: 'post', nowMs, facts, clientMonitor: false });
    this.texts = decision;
    this.add(decision.action);
    return decision;
  }

  /** Judges a complete tool call. @param call the answer with the tool calls that are judged together */
  async judgeToolCall(toolCall: ToolCall, call: DecodedCall, outcomes: readonly DetectorOutcome[]): Promise<Decision> {
    this.judgedCalls++;
    const decision = await this.decideToolCall(toolCall, call, outcomes);
    this.add(decision.action);
    return decision;
  }

  /**
   * Judges an incomplete tool call, of which only the name is final.
   *
   * @param early the rules that already count, because no argument can change their result
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

  /** Refuses the answer because content signed by the provider would have to be masked. Such content can only be forwarded unchanged. */
  refuseSigned(): void {
    this.add('block');
  }

  private async decideToolCall(
    toolCall: ToolCall,
    call: DecodedCall,
    found: readonly DetectorOutcome[],
  ): Promise<Decision> {
    const { policy, nowMs, facts: known, requestOutcomes, turns } = this.known;
    const structures = this.judgedCalls <= MAX_READ_TOOL_CALLS ? known.structures : withoutReading(known.structures);
    if (this.scoped?.texts !== toolCall.segments || this.scoped.found !== found) {
      const outcomes = outcomesForToolCall(toolCall, found, requestOutcomes);
      this.scoped = { texts: toolCall.segments, found, outcomes };
    }
    const { outcomes } = this.scoped;
    const facts = buildFacts({
      ...{ ...known, structures, once: this.once, outcomes },
      // Rules judge the arguments that the client receives.
      call: await runInTurnsIfNeeded(this.restored.restoring(call), turns),
      toolCall: this.restored.of(toolCall, call.segments),
    });
    return judgeStage(policy, { stage: 'tool', nowMs, facts, clientMonitor: false });
  }

  private add(action: DecisionAction): void {
    this.action = strongestAction([this.action, action]);
  }
}
