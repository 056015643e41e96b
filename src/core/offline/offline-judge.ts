import type { DecodedCall, JsonValue } from '../model/call.js';
import { decodeAnswer, decodeRequest } from '../providers/decode-call.js';
import type { Decision, RedactionCount } from '../model/decision.js';
import { evaluate } from '../decision/evaluate.js';
import { masksFixed, UNMASKABLE_REFUSAL, withUnmaskable } from '../decision/unmaskable.js';
import { bindDetectors, type BoundDetector } from '../detection/bind.js';
import type { PluginCatalog } from '../detection/catalog.js';
import type { AskRemote } from '../detection/remote.js';
import { withoutRepeats } from '../detection/rereadings.js';
import { runScan } from '../detection/run-scan.js';
import type { DetectorOutcome } from '../model/finding.js';
import { buildFacts, outcomesForToolCall } from '../facts/build-facts.js';
import { Unknown, type FactSet, type FactValue, type Stage } from '../model/fact.js';
import type { JsonDocument } from '../json/json-document.js';
import { bindStructures } from '../detection/structure.js';
import type { CompiledPolicy } from '../model/compiled-policy.js';
import { applyEdits, planRedaction, type Edit, type KeyedHash } from '../redaction/index.js';

/** What somebody wants to know the verdict of. */
export interface OfflineCall {
  readonly stage: Stage;
  readonly document: JsonDocument;
  readonly dialect: DecodedCall['dialect'];
  /** The call itself, where it was read by more than its document: with what its files say, or from a body that is no JSON. */
  readonly call?: DecodedCall;
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
  /** What is masked in them, by the index of the text. */
  readonly edits: readonly Edit[];
}

/** What judging needs of the outside. */
export interface OfflineHost {
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** What stable tokens are made with: they look like those of a server and are none. */
  readonly hash: KeyedHash;
  /** Asks the services of remote detectors; without it they count as not run. */
  readonly askRemote?: AskRemote;
}

/** Judges calls by one policy, here and now: the detectors, facts, evaluator and redaction of the server, no server. */
export class OfflineJudge {
  private readonly detectors: readonly BoundDetector[];

  constructor(
    readonly policy: CompiledPolicy,
    private readonly plugins: PluginCatalog,
    private readonly host: OfflineHost,
  ) {
    this.detectors = bindDetectors(policy, plugins);
  }

  async judge(input: OfflineCall): Promise<OfflineJudgement> {
    const { stage, document, dialect } = input;
    const call = input.call ?? (stage === 'pre' ? decodeRequest(dialect, document) : decodeAnswer(dialect, document));
    const toolCall = stage === 'tool' ? call.newToolCalls[0] : undefined;
    const outcomes = await this.scan(call, input);
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
    const decision = await evaluate(this.policy, {
      stage,
      nowMs: input.nowMs,
      facts,
      clientMonitor,
      ...(call.contents === undefined ? {} : { contents: call.contents }),
    });
    return { facts, outcomes, ...this.redact(decision, outcomes, call) };
  }

  private async scan(call: DecodedCall, { unavailable, stage }: OfflineCall): Promise<DetectorOutcome[]> {
    const { host } = this;
    const limits = {
      nowMs: () => host.nowMs(),
      deadlineMs: Number.POSITIVE_INFINITY,
      neighbours: stage === 'pre',
      ...(host.askRemote === undefined ? {} : { askRemote: host.askRemote }),
    };
    const wanted = this.detectors.filter(({ binding }) => !unavailable.includes(binding.key));
    const outcomes = withoutRepeats(await runScan(wanted, call.segments, limits), call.segments);
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

  private redact(evaluated: Decision, outcomes: readonly DetectorOutcome[], { segments }: DecodedCall) {
    const findings = outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
    const targets = new Set(
      evaluated.redact.flatMap((spec) => spec.targets.map(({ detector, code }) => `${detector}/${code}`)),
    );
    const covered = findings.filter(({ detector, code }) => targets.has(`${detector}/${code}`));
    const { decision: settled, masked } = withUnmaskable(this.policy, evaluated, covered, { segments });
    const wanted =
      settled.action === 'redact'
        ? planRedaction({ specs: settled.redact, findings: masked, segments, hash: this.host.hash })
        : NO_REDACTION;
    const isRefused = masksFixed(wanted.edits, segments);
    const decision = isRefused ? { ...settled, ...UNMASKABLE_REFUSAL } : settled;
    const plan = isRefused ? NO_REDACTION : wanted;
    const texts = segments.map(({ path, text }, index) => {
      const edits = plan.edits.filter(({ segment }) => segment === index);
      return { path, original: text, text: applyEdits(text, edits), changed: edits.length > 0 };
    });
    return { decision, texts, redactions: plan.redactions, edits: plan.edits };
  }
}

const NO_REDACTION = { edits: [], redactions: [] } as const;

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
