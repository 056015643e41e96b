import { z } from 'zod';
import {
  assembleStream,
  bindDetectors,
  compilePolicy,
  decodeAnswer,
  decodeRequest,
  defineDetector,
  parseJson,
  splice,
  type DecodedCall,
  type Edit,
  type JsonDocument,
  type PluginCatalog,
} from '../../src/core/index.js';
import { assembleList } from '../../src/core/stream/assemble-stream.js';
import { JudgementService, type Judgement } from '../../src/judgement/index.js';
import type { ActivePolicy } from '../../src/policy-store/index.js';
import { FORMS, type Form } from './forms.js';
import { LOCATIONS, type Location } from './locations.js';
import { CANARY, planted, type Planter } from './planter.js';

export const ACTIONS = ['flag', 'redact', 'block'] as const;
export type MatrixAction = (typeof ACTIONS)[number];

/** A request or an answer, as Weir receives it. */
export interface Side {
  readonly form: Form;
  readonly streamed: boolean;
  readonly text: string;
}

/** A side that contains one canary. */
export interface Cell extends Side {
  readonly location: Location;
  readonly planter: Planter;
}

/** @returns undefined if the form has no such location, or cannot be streamed */
export function cellOf(form: Form, location: Location, streamed: boolean, seed: number): Cell | undefined {
  const made = planted(location.name, seed, form.build);
  if (made === undefined || (streamed && !canStream(form))) return undefined;
  const { body, planter } = made;
  if (form.stream !== undefined && streamed) {
    return { form, location, streamed, text: form.stream(body), planter };
  }
  const asks = streamed && form.kind === 'request' && form.streamedPath === undefined;
  const whole = asks ? { ...body, stream: true } : body;
  return { form, location, streamed, text: JSON.stringify(whole), planter };
}

/** Whether answers of this form can be streams, or whether this request can ask for a stream. */
function canStream({ kind, path, stream, streamedPath }: Form): boolean {
  if (kind === 'answer') return stream !== undefined;
  if (streamedPath !== undefined) return true;
  return path !== undefined && FORMS.some((form) => form.path === path && form.stream !== undefined);
}

/** Whether a form has this location with any seed. */
export function carries(form: Form, location: Location): boolean {
  return SEEDS.some((seed) => planted(location.name, seed, form.build) !== undefined);
}

export const SEEDS: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8];

export interface Read {
  readonly call: DecodedCall;
  readonly edited: (edits: readonly Edit[]) => string;
  /** The document from which the call was decoded; absent for a stream. */
  readonly doc?: JsonDocument;
}

/** Decodes a call like the service. */
export function read({ form, streamed, text }: Side): Read {
  if (form.kind === 'answer' && streamed) {
    return (form.streamsList === true ? assembleList : assembleStream)(form.dialect, text);
  }
  const doc = parseJson(text);
  const call = form.kind === 'answer' ? decodeAnswer(form.dialect, doc) : decodeRequest(form.dialect, doc);
  return { call, doc, edited: (edits) => splice(doc, call.segments, edits) };
}

/**
 * The problems of decoding a cell: exactly the texts of the call have to be found, each under its role, and the tool calls
 * as calls. Empty if there is no problem.
 */
export function readingProblems(cell: Cell): string[] {
  const { call } = read(cell);
  const { planter, form, streamed, location } = cell;
  const problems: string[] = [];
  const found = call.segments.map(({ text }) => text).filter((text) => text !== '');
  if (!(streamed && form.kind === 'answer')) problems.push(...differences(planter.texts, found));
  const canaries = call.segments.filter(({ text }) => text.includes(CANARY));
  if (canaries.length === 0) problems.push('the canary is not found');
  for (const { role } of canaries) if (!location.roles.includes(role)) problems.push(`read as ${role}`);
  const calls = form.kind === 'request' ? call.pastToolCalls : call.newToolCalls;
  for (const { name, args } of planter.calls) {
    const known = calls.some(
      (each) => each.name === name && (args === undefined || JSON.stringify(each.args) === JSON.stringify(args)),
    );
    if (!known) problems.push('a tool call is missing');
  }
  if (calls.length !== planter.calls.length) problems.push('the number of tool calls is wrong');
  const declared =
    planter.location === 'tool name' ? call.declaredTools.filter(({ name }) => name.includes(CANARY)) : [{}];
  if (declared.length !== 1) problems.push('the declared tool is not seen');
  return problems;
}

function differences(wanted: readonly string[], found: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const text of wanted) left.set(text, (left.get(text) ?? 0) + 1);
  for (const text of found) left.set(text, (left.get(text) ?? 0) - 1);
  return [...left].flatMap(([text, count]) => {
    if (count === 0) return [];
    return [`${count > 0 ? 'not found' : 'found, but no text'}: ${JSON.stringify(text.slice(0, 40))}`];
  });
}

/** Finds the canary. */
export const words = defineDetector({
  meta: {
    id: 'words',
    version: '1.0.0',
    revision: 1,
    family: 'content',
    summary: 'Finds the canary.',
    codes: { MAIL: { title: 'The canary', enabled: true, minScore: 0 } },
    reach: { behind: 0, ahead: CANARY.length },
    options: z.strictObject({}),
    examples: [],
  },
  create: () => (text) => {
    const start = text.indexOf(CANARY);
    return start < 0 ? [] : [{ code: 'MAIL' as const, start, end: start + CANARY.length, score: 1 }];
  },
});

function policyOf(action: MatrixAction): ActivePolicy {
  const plugins: PluginCatalog = { detectors: [words], structures: [], ledgers: [] };
  const then = action === 'redact' ? 'redact, redact: { entities: [MAIL] }' : action;
  const rules = ['pre', 'post', 'tool'].map(
    (stage) =>
      `  - { id: ${stage}, stage: ${stage}, when: { words.count: { gt: 0 } }, then: { action: ${then} }, on_unknown: match }`,
  );
  const text = `apiVersion: weir/v1
kind: Policy
metadata: { id: matrix, owner: o@example.com }
environment: production
default: allow
detectors: { words: { plugin: words@^1 } }
rules:
${rules.join('\n')}
`;
  const { policy, problems } = compilePolicy({ environment: 'production', files: [{ path: 'p.yaml', text }], plugins });
  if (policy === undefined) throw new Error(problems.map(({ message }) => message).join('; '));
  return { policy, digest: action, version: '1', detectors: bindDetectors(policy, plugins), structures: [] };
}

const POLICIES = { flag: policyOf('flag'), redact: policyOf('redact'), block: policyOf('block') };
const service = new JudgementService({ nowMs: () => 0, monotonicMs: () => 0 });

/** The problems of the decision about a cell. Empty if the decision follows the rule. */
export async function decisionProblems(cell: Cell, action: MatrixAction): Promise<string[]> {
  const { form, location } = cell;
  if (form.unjudged?.[location.name] !== undefined) return [];
  const { call, edited } = read(cell);
  const enforceable = form.dialect !== 'weir.ai_response';
  const judgement = await service.judge({
    policy: POLICIES[action],
    accountId: 'account',
    context: {
      environment: 'production',
      declaredEnvironment: 'production',
      app: { id: 'app', name: 'app' },
      key: { id: 'key', name: 'key' },
    },
    call,
    kind: form.kind === 'tool call' ? 'tool_call' : form.kind,
    enforceable,
    monitorRequested: false,
  });
  return problemsOf(judgement, expectedAction(cell, action), enforceable, edited);
}

/**
 * The action on a cell under a rule with this action: signed text cannot be masked, so it is blocked where the decision can
 * be enforced.
 */
export function expectedAction(cell: Cell, action: MatrixAction): MatrixAction {
  if (action !== 'redact' || cell.form.dialect === 'weir.ai_response') return action;
  const isSigned = read(cell).call.segments.some(({ signed, text }) => signed === true && text.includes(CANARY));
  return isSigned ? 'block' : action;
}

function problemsOf(
  judgement: Judgement,
  action: MatrixAction,
  enforceable: boolean,
  edited: Read['edited'],
): string[] {
  const problems: string[] = [];
  const wanted = action === 'flag' || !enforceable ? 'allow' : action;
  if (judgement.action !== wanted) problems.push(`${judgement.action} instead of ${wanted}`);
  if (!judgement.violations.some((violation) => violation.action === action && violation.enforced === enforceable)) {
    problems.push('no matching violation');
  }
  if (wanted === 'redact' && edited(judgement.edits).includes(CANARY)) problems.push('the canary is still there');
  return problems;
}

/** All cells of these forms, with each of the seeds. */
export function allCells(forms: readonly Form[], seeds: readonly number[]): Cell[] {
  return LOCATIONS.flatMap((location) =>
    forms.flatMap((form) =>
      [false, true].flatMap((streamed) => seeds.flatMap((seed) => cellOf(form, location, streamed, seed) ?? [])),
    ),
  );
}
