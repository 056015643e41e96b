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
  /** The call itself, where it was read by more than its document: with what its files say, or from a body that is no JSON. */
  readonly call?: DecodedCall;
  readonly app: string;
  readonly model?: string;
  readonly provider?: string;
  readonly metadata: Readonly<Record<string, JsonValue>>;
  /** Detectors, structure plugins or `budget` that are to be down. */
  readonly unavailable: readonly string[];
  readonly monitorMode: boolean;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Facts laid over those that the call has, by dotted name. */
  readonly facts: ReadonlyMap<string, FactValue>;
}

export interface OfflineJudgement {
  /** The verdict on the whole call. */
  readonly decision: Decision;
  /** What a client of the server would be told. */
  readonly violations: readonly Violation[];
  /** Each stage at which the call was judged, with what its rules read and said; of a repaired request as it came. */
  readonly stages: readonly JudgedStage[];
  readonly outcomes: readonly DetectorOutcome[];
  /** Every text of the call as it would leave, with its path. */
  readonly texts: readonly OfflineText[];
  readonly redactions: readonly RedactionCount[];
  /** What is masked in them, by the index of the text. */
  readonly edits: readonly Edit[];
}

export interface OfflineText {
  readonly path: string;
  readonly original: string;
  /** Empty where the text does not leave. */
  readonly text: string;
  readonly changed: boolean;
  /** Set for a text of a turn that is taken out. */
  readonly dropped?: true;
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

const KINDS = { pre: 'request', post: 'answer', tool: 'tool_call' } as const satisfies Record<Stage, CallKind>;

/** Judges calls by one policy, here and now: the judge of the server, without a server. Nothing of a budget is spent. */
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

/** The texts of a call as they would leave. */
function textsOf({ segments }: DecodedCall, { edits, repair }: CallJudgement): OfflineText[] {
  const left = repair === undefined ? undefined : new Set(repair.segments);
  return segments.map(({ path, text: original }, index) => {
    if (left?.has(index) === false) return { path, original, text: '', changed: true, dropped: true };
    const own = edits.filter(({ segment }) => segment === index);
    return { path, original, text: applyEdits(original, own), changed: own.length > 0 };
  });
}

/** What can fail to answer: the detectors, the structure plugins, and ledger plugins where the policy has budgets. */
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
