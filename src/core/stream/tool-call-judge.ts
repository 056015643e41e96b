import type { ToolCall } from '../call/call.js';
import type { RedactSpec } from '../decision/decision.js';
import { evaluate } from '../decision/evaluate.js';
import type { DetectorOutcome, LocatedFinding } from '../detection/scan.js';
import { buildFacts, outcomesForToolCall } from '../facts/build-facts.js';
import type { TextEdit } from '../redaction/edit.js';
import { planRedaction, type Numbering } from '../redaction/plan-redaction.js';
import { withRestored } from '../redaction/restore.js';
import { answerCall } from './assemble-stream.js';
import type { Channel } from './channels.js';
import type { GuardInput } from './guarded-stream.js';
import { editsByChannel, joinChannels, type Joined } from './join-channels.js';
import type { RuleWatch } from './rule-watch.js';
import type { StreamReader } from './stream-reader.js';
import { streamToolCalls, type PlacedCall } from './stream-tool-calls.js';

/** Judges the tool calls of a streamed answer, each when it is complete and before its last character leaves. */
export class ToolCallJudge {
  /** A rule refuses one of the calls. */
  blocks = false;
  private joined: Joined = { segments: [], texts: [], places: new Map() };
  private outcomes: readonly DetectorOutcome[] = [];
  private calls: readonly ToolCall[] = [];
  private completeCalls = 0;
  /** Outcomes of the segments of one channel, which count from 0. */
  private readonly scans = new Map<Channel, readonly DetectorOutcome[]>();
  /** How the findings in a call are masked, by what the call says. */
  private readonly specs = new Map<string, readonly RedactSpec[]>();

  constructor(
    private readonly input: GuardInput,
    private readonly reader: StreamReader,
  ) {}

  /**
   * @param closed the channels of tool calls that are complete
   * @returns whether there was anything new
   */
  async judge(closed: readonly Channel[], isComplete: (call: PlacedCall) => boolean): Promise<boolean> {
    const complete = this.reader.calls.filter((call) => isComplete(call));
    if (closed.length === this.scans.size && complete.length === this.completeCalls) return false;
    this.completeCalls = complete.length;
    for (const channel of closed) {
      if (!this.scans.has(channel)) this.scans.set(channel, await this.input.scan(joinChannels([channel]).segments));
    }
    this.joined = joinChannels(closed);
    this.outcomes = this.mergedOutcomes();
    this.calls = streamToolCalls(complete, this.reader.channels.all, this.joined.places);
    for (const call of this.calls) {
      const key = identityOf(call);
      if (!this.specs.has(key)) this.specs.set(key, await this.judgeCall(call));
    }
    return true;
  }

  hasJudged(channel: Channel): boolean {
    return this.scans.has(channel);
  }

  /** What a detector found in all the calls so far. */
  outcomeOf(detector: string): DetectorOutcome | undefined {
    return this.outcomes.find((outcome) => outcome.detector === detector);
  }

  /** What is replaced in the channels of the judged calls; undefined while a rule is undecided about something in them. */
  edits(watch: RuleWatch, numbering: Numbering): ReadonlyMap<Channel, readonly TextEdit[]> | undefined {
    const findings = this.outcomes.flatMap((outcome) => (outcome.status === 'scanned' ? outcome.findings : []));
    if (findings.some(({ detector, code }) => watch.isOpen(detector, code))) return undefined;
    const ofCalls = this.calls.map((call) => ({
      segments: new Set(call.segments),
      specs: this.specs.get(identityOf(call)) ?? [],
    }));
    const { edits } = planRedaction({
      specs: [...watch.redact, ...ofCalls.flatMap(({ specs }) => specs)],
      findings: findings.filter(
        (finding) =>
          isMasked(finding, watch.redact) ||
          ofCalls.some(({ segments, specs }) => segments.has(finding.segment) && isMasked(finding, specs)),
      ),
      segments: this.joined.segments,
      numbering,
      ...(this.input.hash === undefined ? {} : { hash: this.input.hash }),
    });
    return editsByChannel(this.joined.texts, withRestored(this.joined.segments, this.input.tokens, edits));
  }

  private async judgeCall(toolCall: ToolCall): Promise<readonly RedactSpec[]> {
    const { dialect, facts, policy, nowMs, requestOutcomes } = this.input;
    const call = answerCall(dialect, this.joined.segments, this.calls);
    const outcomes = outcomesForToolCall(toolCall, this.outcomes, requestOutcomes);
    const decision = await evaluate(policy, {
      stage: 'tool',
      nowMs,
      facts: buildFacts({ ...facts, call, toolCall, outcomes }),
      clientMonitor: false,
    });
    this.blocks ||= decision.action === 'block';
    return decision.redact;
  }

  private mergedOutcomes(): DetectorOutcome[] {
    return this.input.detectors.map(({ binding: { key, plugin, revision } }): DetectorOutcome => {
      const findings: LocatedFinding[] = [];
      for (const [channel, { segments }] of this.joined.places) {
        const outcome = this.scans.get(channel)?.find(({ detector }) => detector === key);
        if (outcome?.status === 'failed') return outcome;
        findings.push(
          ...(outcome?.findings ?? []).map((finding) => ({ ...finding, segment: segments[finding.segment]! })),
        );
      }
      return { detector: key, plugin, revision, status: 'scanned', findings };
    });
  }
}

function identityOf({ id, path, name, args }: ToolCall): string {
  return JSON.stringify([id ?? path, name, args ?? null]);
}

/** Whether one of these says how such a finding is masked. */
export function isMasked({ detector, code }: LocatedFinding, specs: readonly RedactSpec[]): boolean {
  return specs.some(({ targets }) => targets.some((target) => target.detector === detector && target.code === code));
}
