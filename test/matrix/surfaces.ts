/** Judges one call of the matrix through each entry point: the service, `weir try`, a policy test. */
import { judgePrepared, OfflineJudge, preparePolicyTests, type PreparedTest } from '../../src/authoring/index.js';
import {
  applyEdits,
  bindDetectors,
  bindStructures,
  compilePolicy,
  conversationOf,
  parseJson,
  type CompiledPolicy,
  type DecodedCall,
  type Decision,
  type Edit,
  type JsonDocument,
  type PluginCatalog,
  type Stage,
  type Violation,
} from '../../src/core/index.js';
import { gatherFacts } from '../../src/authoring/policy-test/gather-facts.js';
import { Readings } from '../../src/authoring/policy-test/readings.js';
import { testHash } from '../../src/authoring/policy-test/test-hash.js';
import { JudgementService } from '../../src/judgement/index.js';
import { budget } from '../../plugins/budget/budget.js';
import { toolUse } from '../../plugins/tool-use/tool-use.js';
import { read, words, type Cell } from './check-cell.js';
import { CANARY } from './planter.js';

/** The complete judgement of a call through one entry point. */
export interface SurfaceJudgement {
  readonly decision: Pick<Decision, 'action' | 'reason' | 'unavailable' | 'missing' | 'fired'>;
  readonly violations: readonly Violation[];
  readonly redactions: readonly { readonly type: string; readonly count: number }[];
  /** The texts that are forwarded, with their paths, without the texts of dropped turns. */
  readonly leaving: readonly (readonly [path: string, text: string])[];
}

const NOW_MS = Date.parse('2026-11-21T10:00:00Z');
const CANNOT = 'cannot look at the canary';

/** A detector that fails on texts that contain the canary. */
const failing = {
  ...words,
  meta: { ...words.meta, id: 'failing' },
  create: () => (text: string) => {
    if (text.includes(CANARY)) throw new Error(CANNOT);
    return [];
  },
} as unknown as typeof words;

const CATALOG: PluginCatalog = { detectors: [words, failing], structures: [toolUse], ledgers: [budget] };

const EXCEPTION = `exceptions:
  - id: EX-1
    rules: [pre]
    because: contract
    approved_by: dpo@acme.example
    ticket: SEC-1
    expires: 2027-01-01T00:00:00Z`;

interface Variant {
  readonly action: string;
  readonly head?: string;
  readonly detector?: 'failing';
  readonly foot?: string;
  readonly monitorMode?: true;
}

/** The variations of policies that change the outcome of a call that a rule matches. */
const VARIANTS = {
  flag: { action: 'flag' },
  redact: { action: 'redact, redact: { entities: [MAIL] }' },
  'redact with stable tokens': { action: 'redact, redact: { entities: [MAIL], tokens: stable }' },
  'redact, unless it is signed': {
    action: 'redact, redact: { entities: [MAIL] }',
    head: 'unmaskable: { signed: flag, documents: flag }',
  },
  block: { action: 'block' },
  'block, earlier turns dropped': { action: 'block', head: 'on_blocked_history: drop' },
  'block, earlier turns replaced': { action: 'block', head: 'on_blocked_history: replace' },
  'block, in a policy that monitors': { action: 'block', head: 'mode: monitor' },
  'block, for a caller that asks for monitor mode': {
    ...{ action: 'block', head: 'client_monitor_mode: honor', monitorMode: true },
  },
  'block, with an exception': { action: 'block', foot: EXCEPTION },
  'block, while a detector fails': { action: 'block', detector: 'failing' },
} as const satisfies Record<string, Variant>;

export type VariantName = keyof typeof VARIANTS;
export const VARIANT_NAMES = Object.keys(VARIANTS) as readonly VariantName[];

function compiled({ action, head = '', detector, foot = '' }: Variant): CompiledPolicy {
  const rule = (stage: Stage): string =>
    `  - { id: ${stage}, title: ${stage}, stage: ${stage}, when: { words.count: { gt: 0 } }, then: { action: ${action} }, on_unknown: match }`;
  const text = `apiVersion: weir/v1
kind: Policy
metadata: { id: surfaces, owner: o@example.com }
environment: staging
default: allow
${head}
detectors: { words: { plugin: ${detector ?? 'words'}@^1 } }
rules:
${(['pre', 'post', 'tool'] as const).map(rule).join('\n')}
${foot}
`;
  const files = [{ path: 'p.yaml', text }];
  const { policy, problems } = compilePolicy({ environment: 'staging', files, plugins: CATALOG });
  if (policy === undefined) throw new Error(problems.map(({ message }) => message).join('; '));
  return policy;
}

const STAGE = { request: 'pre', answer: 'post', 'tool call': 'tool' } as const;

/** Judges the calls of the matrix by one policy, through every entry point. */
export class Surfaces {
  private readonly policy: CompiledPolicy;
  private readonly prepared = new Map<Stage, PreparedTest>();
  private readonly offline: OfflineJudge;
  private readonly isMonitored: boolean;
  private readonly service = new JudgementService({ nowMs: () => NOW_MS, monotonicMs: () => 0 }, undefined, {
    of: () => Promise.resolve(testHash),
  });

  constructor(name: VariantName) {
    const variant: Variant = VARIANTS[name];
    this.policy = compiled(variant);
    this.isMonitored = variant.monitorMode === true;
    this.offline = new OfflineJudge(this.policy, CATALOG, { nowMs: () => 0, hash: testHash });
  }

  async served(cell: Cell): Promise<SurfaceJudgement> {
    const { call, doc } = decoded(cell);
    const { policy } = this;
    const { repair, edits, action, reason, unavailable, missing, fired, violations, redactions } =
      await this.service.judge({
        policy: {
          ...{ policy, digest: '', version: '' },
          detectors: bindDetectors(policy, CATALOG),
          structures: bindStructures(policy, CATALOG),
        },
        accountId: 'account',
        context: {
          ...{ environment: 'staging', declaredEnvironment: 'staging' },
          ...{ app: { id: 'app', name: 'app' }, key: { id: 'key', name: 'key' } },
          ...(call.model === undefined ? {} : { model: call.model }),
        },
        call,
        ...(doc === undefined ? {} : { doc }),
        kind: cell.form.kind === 'tool call' ? 'tool_call' : cell.form.kind,
        enforceable: true,
        monitorRequested: this.isMonitored,
      });
    const left = repair?.segments ?? [...call.segments.keys()];
    return {
      decision: { action, ...(reason === undefined ? {} : { reason }), unavailable, missing, fired },
      ...{ violations, redactions },
      leaving: left.map((index) => [call.segments[index]!.path, withEdits(call, index, edits)]),
    };
  }

  /** The judgement that `weir try` prints. */
  async tried(cell: Cell): Promise<SurfaceJudgement> {
    const { call, doc } = decoded(cell);
    const { decision, violations, redactions, texts } = await this.offline.judge({
      stage: STAGE[cell.form.kind],
      document: doc ?? parseJson('null'),
      dialect: call.dialect,
      call,
      app: 'app',
      metadata: {},
      unavailable: [],
      monitorMode: this.isMonitored,
      nowMs: NOW_MS,
      facts: new Map(),
    });
    const leaving = texts.filter(({ dropped }) => dropped !== true).map(({ path, text }) => [path, text] as const);
    return { decision: comparable(decision), violations, redactions, leaving };
  }

  /** The judgement that `weir test` compares with an expectation. */
  async tested(cell: Cell): Promise<SurfaceJudgement> {
    const { call, doc } = decoded(cell);
    const { policy } = this;
    const stage = STAGE[cell.form.kind];
    const one = await this.preparedFor(stage);
    const toolCall = stage === 'tool' ? { toolCall: call.newToolCalls[0]! } : {};
    const made = { call, ...toolCall, annotations: new Map(), errors: [] };
    const readings = new Readings(CATALOG);
    const gathered = await gatherFacts({ ...one, call: made, policy, plugins: CATALOG, mode: 'live', readings });
    const conversation = doc && conversationOf(doc);
    const toJudge = { ...gathered.toJudge, ...(conversation === undefined ? {} : { conversation }) };
    const test = { ...one, call: made, gathered: { ...gathered, toJudge } };
    const { decision, violations, redactions, segments, edits } = await judgePrepared(test, policy, NOW_MS);
    const leaving = segments.map(({ path }, index) => [path, withEdits({ segments }, index, edits)] as const);
    return { decision: comparable(decision), violations, redactions, leaving };
  }

  /** A prepared test of a stage, whose call is replaced later. */
  private async preparedFor(stage: Stage): Promise<PreparedTest> {
    const known = this.prepared.get(stage);
    if (known !== undefined) return known;
    const tool = stage === 'tool' ? { tool: { name: 'search' } } : {};
    const test = {
      ...{ id: 'cell', title: 'A cell', stage, text: 'hello', detectors: 'live', monitor_mode: this.isMonitored },
      ...{ app: { id: 'app', name: 'app' }, key: { id: 'key', name: 'key' }, ...tool },
      expect: { action: 'allow', rules: [] },
    };
    const suite = { apiVersion: 'weir/v1', kind: 'PolicyTest', environments: ['staging'], tests: [test] };
    const { prepared, problems } = await preparePolicyTests({
      files: [{ path: 'cell.test.yaml', text: JSON.stringify(suite) }],
      policies: new Map([['staging', this.policy]]),
      plugins: CATALOG,
      nowMs: NOW_MS,
    });
    if (prepared[0] === undefined) throw new Error(problems.map(({ message }) => message).join('; '));
    this.prepared.set(stage, prepared[0]);
    return prepared[0];
  }
}

function decoded(cell: Cell): { readonly call: DecodedCall; readonly doc?: JsonDocument } {
  const { call, doc } = read(cell);
  return cell.form.kind === 'request' && doc !== undefined ? { call, doc } : { call };
}

function comparable({ action, reason, unavailable, missing, fired }: Decision): SurfaceJudgement['decision'] {
  return { action, ...(reason === undefined ? {} : { reason }), unavailable, missing, fired };
}

function withEdits({ segments }: Pick<DecodedCall, 'segments'>, index: number, edits: readonly Edit[]): string {
  const own = edits.filter(({ segment }) => segment === index);
  return applyEdits(segments[index]!.text, own);
}
