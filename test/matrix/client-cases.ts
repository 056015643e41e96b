/**
 * The proxied calls of the matrix as data, for clients in any language: requests, answers and expected results. The
 * expectations are judgements of the service, with which `weir try` and `weir test` agree (one-judge.spec.ts).
 * client-cases.md describes the use by clients.
 */
import { PLUGINS } from '../../plugins/index.js';
import {
  bindDetectors,
  bindStructures,
  compilePolicy,
  type DecodedCall,
  type Violation,
} from '../../src/core/index.js';
import { JudgementService, type Judgement } from '../../src/judgement/index.js';
import type { ActivePolicy } from '../../src/policy-store/index.js';
import { ACTIONS, allCells, read, type Cell, type MatrixAction, type Side } from './check-cell.js';
import { FORMS, type Form } from './forms.js';
import { CANARY, Planter, randomFrom } from './planter.js';

type Body = Readonly<Record<string, unknown>>;

/** The environment whose policy has rules with this action. */
const ENVIRONMENTS = { flag: 'development', redact: 'staging', block: 'production' } as const;

export interface ClientCase {
  /** A unique description. */
  readonly id: string;
  readonly environment: (typeof ENVIRONMENTS)[MatrixAction];
  readonly provider: string;
  /** The path below the provider's base URL, with the query. */
  readonly path: string;
  readonly dialect: string;
  readonly streamed: boolean;
  /** The side of the call that contains the canary. */
  readonly of: 'request' | 'answer';
  readonly request: Body;
  readonly answer: { readonly content_type: string; readonly body: string };
  readonly expected: {
    /** The decision about the request. */
    readonly decision: Judgement['action'];
    /** The code of the refusal; null if the request is not refused. */
    readonly code: string | null;
    /** The body that the provider receives; null if it receives nothing. */
    readonly sent: unknown;
    /** The violations of the request, as in the log. */
    readonly violations: readonly CaseViolation[];
    /** The distinct rules that the answer violates, sorted; none can be enforced if the client itself makes the call. */
    readonly answer_rules: readonly string[];
  };
}

type CaseViolation = Pick<Violation, 'rule' | 'action' | 'enforced'>;

/** The input of a client's tests: the policies of the service, and the calls. */
export interface ClientCases {
  readonly version: 1;
  /** The text that the rules search for: if a rule masks or blocks it, neither a provider nor the log may contain it. */
  readonly canary: string;
  /** The text of each policy file, by its path below the folder of policies. */
  readonly policies: Readonly<Record<string, string>>;
  readonly cases: readonly ClientCase[];
}

/** Every proxied call of the matrix under every action; the seed determines them. */
export async function clientCases(seed: number): Promise<ClientCases> {
  const cells = allCells(FORMS, [seed]).filter(({ form }) => form.style !== undefined);
  const cases: ClientCase[] = [];
  for (const action of ACTIONS) {
    const judge = new CaseJudge(action);
    for (const cell of cells) cases.push(await caseOf(cell, action, judge, seed));
  }
  const policies = ACTIONS.map((action) => [`${ENVIRONMENTS[action]}/policy.yaml`, policyText(action)]);
  return { version: 1, canary: CANARY, policies: Object.fromEntries(policies) as Record<string, string>, cases };
}

/** One rule for each stage, all with the same action, over a detector that every service has. */
function policyText(action: MatrixAction): string {
  const then = action === 'redact' ? 'redact, redact: { entities: [MAIL] }' : action;
  const rules = ['pre', 'post', 'tool'].map(
    (stage) =>
      `  - { id: ${stage}, title: ${stage}, stage: ${stage}, when: { words.count: { gt: 0 } }, then: { action: ${then} }, on_unknown: match }`,
  );
  return `apiVersion: weir/v1
kind: Policy
metadata: { id: ${ENVIRONMENTS[action]}, title: Conformance, owner: tests@example.com }
environment: ${ENVIRONMENTS[action]}
default: allow
client_monitor_mode: ignore
content: redacted
# Long deadlines, so that a busy machine does not look like a slow detector.
stages: { pre: { deadline_ms: 60000 }, post: { deadline_ms: 60000 }, tool: { deadline_ms: 60000 } }
detectors: { words: { plugin: keywords@^1, lists: { MAIL: [${CANARY}] } } }
rules:
${rules.join('\n')}
`;
}

function compiled(action: MatrixAction): ActivePolicy {
  const files = [{ path: 'policy.yaml', text: policyText(action) }];
  const { policy, problems } = compilePolicy({ environment: ENVIRONMENTS[action], files, plugins: PLUGINS });
  if (policy === undefined) throw new Error(problems.map(({ message }) => message).join('; '));
  return {
    ...{ policy, digest: action, version: '1' },
    ...{ detectors: bindDetectors(policy, PLUGINS), structures: bindStructures(policy, PLUGINS) },
  };
}

/** Computes the expected judgements of a request and of its answer. */
class CaseJudge {
  private readonly policy: ActivePolicy;
  private readonly service = new JudgementService({ nowMs: () => 0, monotonicMs: () => 0 });

  constructor(private readonly action: MatrixAction) {
    this.policy = compiled(action);
  }

  async expected(request: Side, answer: Side | undefined): Promise<ClientCase['expected']> {
    const asked = await this.judged(request);
    const { action, reason, violations, edits } = asked.judgement;
    const isRefused = action === 'block';
    const ofAnswer = isRefused || answer === undefined ? [] : (await this.judged(answer, asked)).judgement.violations;
    return {
      decision: action,
      code: isRefused ? (reason ?? null) : null,
      sent: isRefused ? null : (JSON.parse(read(request).edited(edits)) as unknown),
      violations: violations.map(({ rule, action: done, enforced }) => ({ rule, action: done, enforced })),
      answer_rules: [...new Set(ofAnswer.map(({ rule }) => rule))].sort(),
    };
  }

  private async judged(side: Side, request?: Asked): Promise<Asked> {
    const { call, doc } = read(side);
    const environment = ENVIRONMENTS[this.action];
    const isAnswer = request !== undefined;
    const judgement = await this.service.judge({
      ...{ policy: this.policy, accountId: 'account', call, monitorRequested: false },
      ...{ kind: isAnswer ? 'answer' : 'request', enforceable: !isAnswer },
      ...(isAnswer ? { request } : { doc: doc! }),
      context: {
        ...{ environment, declaredEnvironment: environment },
        ...{ app: { id: 'app', name: 'app' }, key: { id: 'key', name: 'key' } },
      },
    });
    return { call, judgement };
  }
}

interface Asked {
  readonly call: DecodedCall;
  readonly judgement: Judgement;
}

async function caseOf(cell: Cell, action: MatrixAction, judge: CaseJudge, seed: number): Promise<ClientCase> {
  const { form, location, streamed } = cell;
  const of = form.kind as ClientCase['of'];
  const request = of === 'request' ? cell : harmlessRequest(cell, seed);
  const answer = of === 'answer' ? cell : harmlessAnswer(cell, seed);
  return {
    id: [action, form.style, form.name, of, ...(streamed ? ['streamed'] : []), location.name].join(' / '),
    environment: ENVIRONMENTS[action],
    provider: form.style!,
    path: (streamed ? form.streamedPath : undefined) ?? form.path!,
    ...{ dialect: form.dialect, streamed, of },
    request: JSON.parse(request.text) as Body,
    answer: {
      content_type:
        answer?.streamed === true && answer.form.streamsList !== true ? 'text/event-stream' : 'application/json',
      body: answer?.text ?? JSON.stringify(OF_OTHER_ROUTES),
    },
    expected: await judge.expected(request, answer),
  };
}

/** The answer of routes without text: counting tokens and batch embedding. */
const OF_OTHER_ROUTES = { input_tokens: 3, totalTokens: 3, embeddings: [{ values: [0.5] }] };

/** The random request of a seed, in which no rule finds anything. */
function harmlessRequest({ form: { path, dialect, streamedPath }, streamed }: Side, seed: number): Side {
  const form = FORMS.find((each) => each.kind === 'request' && each.path === path && each.dialect === dialect)!;
  const body = form.build(harmless(seed));
  return {
    form,
    streamed,
    text: JSON.stringify(streamed && streamedPath === undefined ? { ...body, stream: true } : body),
  };
}

/** An answer of the provider in which no rule finds anything; undefined for answers without text. */
function harmlessAnswer({ form: { path, dialect }, streamed }: Side, seed: number): Side | undefined {
  const isFit = (each: Form): boolean => !streamed || (each.stream !== undefined && each.streamsList !== true);
  const form = FORMS.find(
    (each) => each.kind === 'answer' && each.path === path && each.dialect === dialect && isFit(each),
  );
  if (form === undefined) return undefined;
  const body = form.build(harmless(seed));
  return { form, streamed, text: streamed ? form.stream!(body) : JSON.stringify(body) };
}

function harmless(seed: number): Planter {
  return new Planter('nowhere', randomFrom(seed), -1);
}
