import type { DecodedCall, ToolCall } from '../model/call.js';
import { leavingOutRepeats } from '../detection/rereadings.js';
import { runScan, type ScanLimits } from '../detection/run-scan.js';
import type { DetectorOutcome } from '../model/finding.js';
import type { BoundStructure } from '../detection/bind-structures.js';
import { SILENT_LEDGER } from '../detection/ledger.js';
import { rememberOnce } from '../detection/structure.js';
import {
  buildingFacts,
  MAX_READ_TOOL_CALLS,
  scopingOutcomes,
  withoutReading,
  type FactInput,
} from '../facts/build-facts.js';
import type { Stage } from '../model/fact.js';
import { runInTurnsIfNeeded } from '../steps/steps.js';
import type { CallKind, CallReading, CallToJudge, JudgeHost, ScanTexts, StageFacts } from './judgement.js';
import { RestoredCalls } from './restored-calls.js';

const CALLS_IN_ONE_PIECE = 8;
const NOTHING_RESTORED: ReadonlyMap<string, string> = new Map();

/** Returns a scan function with these limits. */
export function scanWithin(limits: Omit<ScanLimits, 'neighbours'>): ScanTexts {
  return (detectors, segments, neighbours) => runScan(detectors, segments, { ...limits, neighbours });
}

/** The stage whose deadline applies to the scan of a call of this kind. */
export function stageOfKind(kind: CallKind): Stage {
  return kind === 'request' ? 'pre' : kind === 'answer' ? 'post' : 'tool';
}

/** Reads a call: the outcomes of its detectors, and the facts of each stage at which it is judged. */
export async function readCall(input: CallToJudge, host: JudgeHost): Promise<CallReading> {
  const outcomes = await scanCall(input, host);
  return { outcomes, stages: await readStages(input, outcomes, host) };
}

/** Scans a call with every detector; a detector that is assumed to be down counts as failed. */
export async function scanCall(
  { policy: { policy, detectors }, call, kind, supposed }: Pick<CallToJudge, 'policy' | 'call' | 'kind' | 'supposed'>,
  { scan, turns }: Pick<JudgeHost, 'scan' | 'turns'>,
): Promise<readonly DetectorOutcome[]> {
  const down = supposed?.down;
  const asked = down === undefined ? detectors : detectors.filter(({ binding }) => !down.has(binding.key));
  const found = await scan(asked, call.segments, kind === 'request');
  const outcomes = await runInTurnsIfNeeded(leavingOutRepeats(found, call.segments), turns);
  if (down === undefined) return outcomes;
  const silent = policy.detectors.filter(({ key }) => down.has(key));
  return [
    ...outcomes,
    ...silent.map(({ key, plugin, revision }): DetectorOutcome => ({
      ...{ detector: key, plugin, revision },
      ...{ status: 'failed', reason: 'failed' },
    })),
  ];
}

/** Collects the facts of each stage at which a call is judged, in the order of the stages. */
async function readStages(
  input: CallToJudge,
  outcomes: readonly DetectorOutcome[],
  { turns }: JudgeHost,
): Promise<StageFacts[]> {
  const { kind, request, supposed } = input;
  // Rules judge the arguments that the client receives.
  const restored = new RestoredCalls(request?.restorable ?? NOTHING_RESTORED);
  const call = await runInTurnsIfNeeded(restored.restoring(input.call), turns);
  const structures = structuresOf(input);
  const requestOutcomes = request?.outcomes ?? [];
  const base: Omit<FactInput, 'outcomes' | 'structures'> = {
    context: input.context,
    call,
    ledger: input.ledger ?? SILENT_LEDGER,
    once: rememberOnce(),
    ...(input.session === undefined ? {} : { session: input.session }),
    ...(request?.call === undefined ? {} : { request: request.call }),
  };
  const stages: StageFacts[] = [];
  const read = async (stage: Stage, facts: FactInput, toolCall?: number): Promise<void> => {
    const built = await runInTurnsIfNeeded(buildingFacts(facts), turns);
    stages.push({
      stage,
      facts: supposed?.facts?.(built) ?? built,
      ...(call.contents === undefined ? {} : { contents: call.contents }),
      ...(toolCall === undefined ? {} : { toolCall }),
    });
  };
  const readTool = async (toolCall: ToolCall, index: number, able: readonly BoundStructure[]): Promise<void> => {
    const scoped = await runInTurnsIfNeeded(scopingOutcomes(toolCall, outcomes, requestOutcomes), turns);
    await read('tool', { ...base, structures: able, toolCall, outcomes: scoped }, index);
  };
  if (input.onlyToolCall !== undefined) {
    const { index } = input.onlyToolCall;
    const toolCall = index === undefined ? undefined : call.newToolCalls[index];
    // Without a tool call, only the conversation can be judged.
    const known = requestOutcomes.length > 0 ? requestOutcomes : outcomes;
    if (toolCall === undefined || index === undefined) await read('tool', { ...base, structures, outcomes: known });
    else await readTool(toolCall, index, structures);
    return stages;
  }
  if (kind !== 'tool_call') await read(stageOfKind(kind), { ...base, structures, outcomes });
  if (kind === 'request') return stages;
  for (const [index, toolCall] of call.newToolCalls.slice(0, MAX_READ_TOOL_CALLS).entries()) {
    await readTool(toolCall, index, structures);
    if (index % CALLS_IN_ONE_PIECE === CALLS_IN_ONE_PIECE - 1) await turns?.pause();
  }
  const unread = call.newToolCalls[MAX_READ_TOOL_CALLS];
  // The remaining calls are judged together with unknown structure facts, so `on_unknown` decides.
  if (unread !== undefined) await readTool(wholeCall(unread, call), MAX_READ_TOOL_CALLS, withoutReading(structures));
  return stages;
}

/** A tool call with all texts of the answer. */
function wholeCall(toolCall: ToolCall, { segments }: DecodedCall): ToolCall {
  return { ...toolCall, segments: segments.map((_, segment) => segment) };
}

function structuresOf({ policy: { structures }, supposed }: CallToJudge): readonly BoundStructure[] {
  const down = supposed?.down;
  if (down === undefined || down.size === 0) return structures;
  const silent = (): never => {
    throw new Error('assumed to be unavailable');
  };
  return structures.map((structure) => {
    if (!down.has(structure.id)) return structure;
    // For ledger plugins, the ledger fails, not the plugin.
    const asleep: BoundStructure['read'] = (call, context) => structure.read(call, context, SILENT_LEDGER);
    return { ...structure, read: structure.reads === 'ledger' ? asleep : silent };
  });
}
