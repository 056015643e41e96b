import { createHmac, randomBytes } from 'node:crypto';
import {
  applyEdits,
  bindDetectors,
  bindStructures,
  buildFacts,
  decodeAnswer,
  decodeRequest,
  evaluate,
  outcomesForToolCall,
  planRedaction,
  runScan,
  Unknown,
  type BoundDetector,
  type CompiledPolicy,
  type Decision,
  type DecodedCall,
  type DetectorOutcome,
  type FactSet,
  type FactValue,
  type JsonDocument,
  type JsonValue,
  type PluginCatalog,
  type RedactionCount,
  type Stage,
} from '../../src/core/index.js';

/** What somebody wants to know the verdict of. */
export interface OfflineCall {
  readonly stage: Stage;
  readonly document: JsonDocument;
  readonly dialect: DecodedCall['dialect'];
  readonly app: string;
  readonly model?: string;
  readonly provider?: string;
  readonly metadata: Readonly<Record<string, JsonValue>>;
  /** Detectors that are to be down. */
  readonly unavailable: readonly string[];
  readonly monitorMode: boolean;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Facts laid over those that the call has, by dotted name. */
  readonly facts: ReadonlyMap<string, FactValue>;
}

export interface OfflineJudgement {
  readonly decision: Decision;
  readonly facts: FactSet;
  readonly outcomes: readonly DetectorOutcome[];
  /** Every text of the call as it would leave, with its path. */
  readonly texts: readonly {
    readonly path: string;
    readonly original: string;
    readonly text: string;
    readonly changed: boolean;
  }[];
  readonly redactions: readonly RedactionCount[];
}

/** Judges calls by one policy, here and now: the detectors, facts, evaluator and redaction of the server, no server. */
export class OfflineJudge {
  private readonly detectors: readonly BoundDetector[];
  /** Stable tokens are made with a key of this run: they look like those of a server and are none. */
  private readonly key = randomBytes(32);

  constructor(
    readonly policy: CompiledPolicy,
    private readonly plugins: PluginCatalog,
    private readonly nowMs: () => number,
  ) {
    this.detectors = bindDetectors(policy, plugins);
  }

  async judge(input: OfflineCall): Promise<OfflineJudgement> {
    const { stage, document, dialect } = input;
    const call = stage === 'pre' ? decodeRequest(dialect, document) : decodeAnswer(dialect, document);
    const toolCall = stage === 'tool' ? call.newToolCalls[0] : undefined;
    const outcomes = await this.scan(call, input.unavailable);
    const facts: Record<string, FactValue> = buildFacts({
      context: {
        environment: this.policy.environment,
        declaredEnvironment: this.policy.environment,
        app: { id: input.app, name: input.app },
        key: { id: 'key', name: 'key' },
        ...(input.provider !== undefined && { provider: input.provider }),
        ...((input.model ?? call.model) !== undefined && { model: input.model ?? call.model! }),
        metadata: input.metadata,
      },
      call,
      ...(toolCall !== undefined && { toolCall }),
      outcomes: toolCall === undefined ? outcomes : outcomesForToolCall(toolCall, outcomes, []),
      structures: bindStructures(this.policy, this.plugins.structures),
      budgets: this.policy.budgets,
    }) as Record<string, FactValue>;
    for (const [name, value] of input.facts) setFact(facts, name.split('.'), value);
    this.silence(facts, input.unavailable);
    const clientMonitor = input.monitorMode && this.policy.clientMonitorMode === 'honor';
    const decision = await evaluate(this.policy, { stage, nowMs: input.nowMs, facts, clientMonitor });
    return { decision, facts, outcomes, ...this.redact(decision, outcomes, call) };
  }

  private async scan(call: DecodedCall, unavailable: readonly string[]): Promise<DetectorOutcome[]> {
    const limits = { nowMs: this.nowMs, deadlineMs: Number.POSITIVE_INFINITY };
    const wanted = this.detectors.filter(({ binding }) => !unavailable.includes(binding.key));
    const outcomes = await runScan(wanted, call.segments, limits);
    const down = this.policy.detectors.filter(({ key }) => unavailable.includes(key));
    return [
      ...outcomes,
      ...down.map(({ key, plugin, revision }): DetectorOutcome => ({
        detector: key,
        plugin,
        revision,
        status: 'failed',
        reason: 'failed',
      })),
    ];
  }

  /** What reads the call itself can be switched off like a detector. */
  private silence(facts: Record<string, FactValue>, unavailable: readonly string[]): void {
    for (const { meta, facts: own } of this.plugins.structures) {
      if (!unavailable.includes(meta.id)) continue;
      for (const { name } of own) facts[name.split('.', 1)[0]!] = new Unknown('failed', meta.id);
    }
  }

  private redact(decision: Decision, outcomes: readonly DetectorOutcome[], { segments }: DecodedCall) {
    const findings = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
    const hash = (text: string): Uint8Array => createHmac('sha256', this.key).update(text).digest();
    const plan =
      decision.action === 'redact'
        ? planRedaction({ specs: decision.redact, findings, segments, hash })
        : { edits: [], redactions: [] };
    const texts = segments.map(({ path, text }, index) => {
      const edits = plan.edits.filter(({ segment }) => segment === index);
      return { path, original: text, text: applyEdits(text, edits), changed: edits.length > 0 };
    });
    return { texts, redactions: plan.redactions };
  }
}

function setFact(facts: Record<string, FactValue>, [root = '', ...path]: readonly string[], value: FactValue): void {
  if (path.length === 0) {
    facts[root] = value;
    return;
  }
  const below = facts[root];
  const isMap = typeof below === 'object' && below !== null && !Array.isArray(below) && !(below instanceof Unknown);
  const inner: Record<string, FactValue> = isMap ? { ...(below as Record<string, FactValue>) } : {};
  setFact(inner, path, value);
  facts[root] = inner;
}
