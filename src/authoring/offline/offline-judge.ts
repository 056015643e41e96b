import type { DecodedCall, JsonValue } from '../../core/model/call.js';
import { decodeAnswer, decodeRequest } from '../../core/providers/decode-call.js';
import type { Decision, RedactionCount, Violation } from '../../core/model/decision.js';
import { bindDetectors } from '../../core/detection/bind.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { AskRemote } from '../../core/detection/remote.js';
import type { DetectorOutcome } from '../../core/model/finding.js';
import { bindStructures } from '../../core/detection/bind-structures.js';
import { NOTHING_USED } from '../../core/detection/ledger.js';
import { Unknown, type FactSet, type FactValue, type Stage } from '../../core/model/fact.js';
import type { JsonDocument } from '../../core/json/json-document.js';
import { decisionOf, judgeCall, scanWithin } from '../../core/judge/index.js';
import type { CallJudgement, CallKind, JudgedStage, JudgingPolicy } from '../../core/judge/judgement.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { applyEdits, type Edit, type KeyedHash } from '../../core/redaction/index.js';

/** The call to be judged. */
export interface OfflineCall {
  readonly stage: Stage;
  readonly document: JsonDocument;
  readonly dialect: DecodedCall['dialect'];
  /** The decoded call, if it was not decoded from `document` alone: with texts of its files, or from a body that is not JSON. */
  readonly call?: DecodedCall;
  readonly app: string;
  readonly model?: string;
  readonly provider?: string;
  readonly metadata: Readonly<Record<string, JsonValue>>;
  /** Detectors, structure plugins or `budget` to be treated as unavailable. */
  readonly unavailable: readonly string[];
  readonly monitorMode: boolean;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Facts that override those of the call, by dotted name. */
  readonly facts: ReadonlyMap<string, FactValue>;
}

export interface OfflineJudgement {
  /** The verdict on the whole call. */
  readonly decision: Decision;
  /** The violations that the server would report to a client. */
  readonly violations: readonly Violation[];
  /** Each judged stage, with the facts and results of its rules; for a repaired request, before the repair. */
  readonly stages: readonly JudgedStage[];
  readonly outcomes: readonly DetectorOutcome[];
  /** Every text of the call as it would be sent, with its path. */
  readonly texts: readonly OfflineText[];
  readonly redactions: readonly RedactionCount[];
  /** The masked ranges; `segment` is the index in `texts`. */
  readonly edits: readonly Edit[];
}

export interface OfflineText {
  readonly path: string;
  readonly original: string;
  /** The text as it would be sent; empty if it is not sent. */
  readonly text: string;
  readonly changed: boolean;
  /** Set for a text of a removed turn. */
  readonly dropped?: true;
}

/** Functions of the host that judging needs. */
export interface OfflineHost {
  /** Monotonic milliseconds. */
  nowMs(): number;
  /** The hash for stable tokens, which have the same form as a server's but other values. */
  readonly hash: KeyedHash;
  /** Calls the services of remote detectors; without it these detectors count as not run. */
  readonly askRemote?: AskRemote;
}

const KINDS = { pre: 'request', post: 'answer', tool: 'tool_call' } as const satisfies Record<Stage, CallKind>;

/** Judges calls with one policy in this process, using the server's judge. Budgets count as unused, and nothing is spent. */
export class OfflineJudge {
  private readonly judging: JudgingPolicy;

  constructor(
    readonly policy: CompiledPolicy,
    plugins: PluginCatalog,
    private readonly host: OfflineHost,
  ) {
    const structures = bindStructures(policy, plugins);
    this.judging = { policy, detectors: bindDetectors(policy, plugins), structures };
  }

  async judge(input: OfflineCall): Promise<OfflineJudgement> {
    const { stage, document, dialect } = input;
    const call = input.call ?? (stage === 'pre' ? decodeRequest(dialect, document) : decodeAnswer(dialect, document));
    const { environment } = this.policy;
    const model = input.model ?? call.model;
    const judged = await judgeCall(
      {
        policy: this.judging,
        context: {
          environment,
          declaredEnvironment: environment,
          app: { id: input.app, name: input.app },
          key: { id: 'key', name: 'key' },
          ...(input.provider !== undefined && { provider: input.provider }),
          ...(model !== undefined && { model }),
          metadata: input.metadata,
        },
        ledger: NOTHING_USED,
        call,
        kind: KINDS[stage],
        ...(stage === 'pre' && { doc: document }),
        enforceable: true,
        monitorRequested: input.monitorMode,
        supposed: { down: new Set(input.unavailable), facts: (facts) => withFacts(facts, input.facts) },
      },
      { nowMs: input.nowMs, scan: this.scan(), hash: () => Promise.resolve(this.host.hash) },
    );
    const { violations, outcomes, redactions, edits, stages } = judged;
    const texts = textsOf(call, judged);
    return { decision: decisionOf(judged), violations, stages, outcomes, texts, redactions, edits };
  }

  private scan() {
    const { askRemote } = this.host;
    return scanWithin({
      nowMs: () => this.host.nowMs(),
      deadlineMs: Number.POSITIVE_INFINITY,
      ...(askRemote === undefined ? {} : { askRemote }),
    });
  }
}

/** The texts of a call as they would be sent. */
function textsOf({ segments }: DecodedCall, { edits, repair }: CallJudgement): OfflineText[] {
  const left = repair === undefined ? undefined : new Set(repair.segments);
  return segments.map(({ path, text: original }, index) => {
    if (left?.has(index) === false) return { path, original, text: '', changed: true, dropped: true };
    const own = edits.filter(({ segment }) => segment === index);
    return { path, original, text: applyEdits(original, own), changed: own.length > 0 };
  });
}

/** Names of everything that can be unavailable: detectors, structure plugins, and ledger plugins if the policy has budgets. */
export function answeringSources(
  { detectors, budgets }: Pick<CompiledPolicy, 'detectors' | 'budgets'>,
  { structures, ledgers }: Pick<PluginCatalog, 'structures' | 'ledgers'>,
): string[] {
  const plugins = [...structures, ...(budgets.length > 0 ? ledgers : [])].map(({ meta }) => meta.id);
  return [...detectors.map(({ key }) => key), ...plugins];
}

function withFacts(facts: FactSet, over: ReadonlyMap<string, FactValue>): FactSet {
  if (over.size === 0) return facts;
  const laid: Record<string, FactValue> = { ...facts };
  for (const [name, value] of over) setFact(laid, name.split('.'), value);
  return laid;
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
