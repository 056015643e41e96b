import type { DecodedCall, ToolCall } from '../model/call.js';
import type { RedactSpec } from '../model/decision.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';
import type { GrowingAnswer } from '../judge/index.js';
import type { TextEdit } from '../text/edit.js';
import type { Numbering } from '../redaction/numbering.js';
import { planRedaction } from '../redaction/plan-redaction.js';
import { withRestored } from '../redaction/restore.js';
import { answerCall } from './assemble-stream.js';
import type { Channel, Channels } from './channels.js';
import type { GuardInput } from './guard-input.js';
import { editsByChannel, joinChannel, joinChannels, type Joined } from './join-channels.js';
import { isMasked, type RuleWatch } from './rule-watch.js';
import { callGroup, callKeyOf, streamToolCalls } from './stream-tool-calls.js';
import type { PlacedCall } from './stream-event.js';

/** The pieces of one call, and the texts that they are pieces of. */
interface Group {
  readonly pieces: PlacedCall[];
  readonly channels: Set<Channel>;
}

/** Has the tool calls of a streamed answer judged, each when it is complete and before its last character leaves. */
export class ToolCallJudge {
  private readonly groups = new Map<string, Group>();
  /** Groups that have grown since they were judged. */
  private readonly open = new Set<Group>();
  /** The texts of all complete calls; findings count their segments. */
  private readonly joined: Joined = { segments: [], texts: [], places: new Map() };
  private readonly findings = new Map<string, LocatedFinding[]>();
  private readonly bySegment = new Map<number, LocatedFinding[]>();
  private readonly failures = new Map<string, DetectorOutcome>();
  /** How findings in a segment are masked, by what the calls it belongs to say. */
  private readonly specs = new Map<number, RedactSpec[]>();
  private readonly judgedCalls = new Set<string>();
  /** Complete, but not decided. */
  private readonly waiting = new Set<Channel>();

  constructor(
    private readonly input: GuardInput,
    private readonly channels: Channels,
    private readonly answer: GrowingAnswer,
  ) {}

  /** An event shows a call, or a piece of it. */
  see(call: PlacedCall): void {
    const key = callGroup(call);
    const known = key === undefined ? undefined : this.groups.get(key);
    const group = known ?? { pieces: [], channels: new Set() };
    if (key !== undefined) this.groups.set(key, group);
    group.pieces.push(call);
    for (const channel of call.channels) group.channels.add(channel);
    this.open.add(group);
  }

  /**
   * @param closed channels of tool calls that have become complete
   * @param isComplete whether nothing more comes of the call that a piece belongs to
   * @returns whether anything was found in them, or a detector failed
   */
  async judge(closed: readonly Channel[], isComplete: (call: PlacedCall) => boolean): Promise<boolean> {
    let hasNews = false;
    for (const channel of closed) hasNews = (await this.scan(channel)) || hasNews;
    const complete = [...this.open].filter(({ pieces }) => pieces.every(isComplete));
    for (const group of complete) this.open.delete(group);
    const calls = complete.map((group) => this.callsOf(group));
    const areTogether = this.input.plan.tools.mode === 'together';
    for (const own of calls) await this.judgeCalls(own, areTogether ? calls.flat() : own);
    return hasNews;
  }

  /** What a detector found in all the calls so far. */
  outcomeOf(detector: string): DetectorOutcome | undefined {
    const failed = this.failures.get(detector);
    if (failed !== undefined) return failed;
    const binding = this.input.detectors.find(({ binding: { key } }) => key === detector)?.binding;
    if (binding === undefined) return undefined;
    const { plugin, revision } = binding;
    return { detector, plugin, revision, status: 'scanned', findings: this.findings.get(detector) ?? [] };
  }

  /**
   * What is replaced in the channels that wait, which then wait no more; undefined while a rule is undecided about
   * something in them.
   */
  decide(watch: RuleWatch, numbering: Numbering): ReadonlyMap<Channel, readonly TextEdit[]> | undefined {
    const ofOpen = new Set([...this.open].flatMap(({ channels }) => [...channels]));
    const channels = [...this.waiting].filter((channel) => !ofOpen.has(channel));
    const segments = channels.flatMap((channel) => this.joined.places.get(channel)!.segments);
    const findings = segments.flatMap((segment) => this.bySegment.get(segment) ?? []);
    if (findings.some(({ detector, code }) => watch.isOpen(detector, code))) return undefined;
    const edits = this.edits(segments, findings, watch, numbering);
    const decided = new Map<Channel, readonly TextEdit[]>();
    for (const channel of channels) {
      decided.set(channel, edits.get(channel) ?? []);
      this.waiting.delete(channel);
    }
    return decided;
  }

  private edits(
    places: readonly number[],
    findings: readonly LocatedFinding[],
    watch: RuleWatch,
    numbering: Numbering,
  ): ReadonlyMap<Channel, readonly TextEdit[]> {
    const { tokens, hash } = this.input;
    if (findings.length === 0 && tokens.size === 0) return new Map();
    const local = new Map(places.map((place, index) => [place, index]));
    const segments = places.map((place) => this.joined.segments[place]!);
    const ofCalls = places.flatMap((place) => this.specs.get(place) ?? []);
    const isSigned = ({ segment }: LocatedFinding): boolean => this.joined.segments[segment]!.signed === true;
    const isSpared = this.input.policy.unmaskable.signed === 'flag' ? isSigned : () => false;
    const masked = findings.filter(
      (finding) =>
        !isSpared(finding) &&
        (isMasked(finding, watch.redact) || isMasked(finding, this.specs.get(finding.segment) ?? [])),
    );
    if (masked.some(isSigned)) this.answer.refuseSigned();
    const { edits } = planRedaction({
      specs: [...watch.redact, ...ofCalls],
      findings: masked.map((finding) => ({ ...finding, segment: local.get(finding.segment)! })),
      segments,
      numbering,
      ...(hash === undefined ? {} : { hash }),
    });
    const texts = places.map((place) => this.joined.texts[place]!);
    return editsByChannel(texts, withRestored(segments, tokens, edits));
  }

  /** @returns whether something was found, or a detector failed */
  private async scan(channel: Channel): Promise<boolean> {
    const first = this.joined.segments.length;
    const outcomes = await this.input.scan(joinChannels([channel]).segments);
    joinChannel(this.joined, channel);
    this.waiting.add(channel);
    for (const outcome of outcomes) {
      if (outcome.status === 'failed') {
        this.failures.set(outcome.detector, outcome);
        continue;
      }
      for (const finding of outcome.findings) {
        const placed = { ...finding, segment: finding.segment + first };
        listOf(this.findings, outcome.detector).push(placed);
        listOf(this.bySegment, placed.segment).push(placed);
      }
    }
    return outcomes.some((outcome) => outcome.status === 'failed' || outcome.findings.length > 0);
  }

  /**
   * Calls whose names are known and whose arguments have begun: what refuses them whatever the arguments are refuses
   * them now, before anything of them leaves.
   * @param keys as `callKeyOf` gives them
   */
  async refuseEarly(keys: ReadonlySet<string>): Promise<void> {
    const { early } = this.input.plan.tools;
    if (keys.size === 0 || early.size === 0) return;
    for (const { pieces, channels } of this.open) {
      if (![...channels].some(({ path }) => keys.has(callKeyOf(path) ?? ''))) continue;
      for (const call of streamToolCalls(pieces, [], new Map())) {
        const begun = { ...call, segments: [] };
        await this.answer.judgeBegunCall(begun, this.answerWith([]), this.outcomesOf(begun), early);
      }
    }
  }

  private callsOf({ pieces }: Group): ToolCall[] {
    const following = this.channels.ofBlock(pieces[0]!.scope.index);
    return streamToolCalls(pieces, following, this.joined.places);
  }

  private async judgeCalls(own: readonly ToolCall[], all: readonly ToolCall[]): Promise<void> {
    for (const call of own) {
      const identity = JSON.stringify([call.id ?? call.path, call.name, call.args ?? null]);
      if (this.judgedCalls.has(identity)) continue;
      this.judgedCalls.add(identity);
      const { redact } = await this.answer.judgeToolCall(call, this.answerWith(all), this.outcomesOf(call));
      for (const segment of call.segments) listOf(this.specs, segment).push(...redact);
    }
  }

  private answerWith(calls: readonly ToolCall[]): DecodedCall {
    return answerCall(this.input.dialect, this.joined.segments, calls);
  }

  private outcomesOf({ segments }: ToolCall): DetectorOutcome[] {
    const found = segments.flatMap((segment) => this.bySegment.get(segment) ?? []);
    return this.input.detectors.map(({ binding: { key, plugin, revision } }): DetectorOutcome => {
      const findings = found.filter(({ detector }) => detector === key);
      return this.failures.get(key) ?? { detector: key, plugin, revision, status: 'scanned', findings };
    });
  }
}

function listOf<K, V>(lists: Map<K, V[]>, key: K): V[] {
  const known = lists.get(key) ?? [];
  lists.set(key, known);
  return known;
}
