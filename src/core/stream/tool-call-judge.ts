import type { DecodedCall, ToolCall } from '../model/call.js';
import type { RedactSpec } from '../model/decision.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';
import type { GrowingAnswer } from '../judge/index.js';
import type { TextEdit } from '../text/edit.js';
import type { Numbering } from '../redaction/numbering.js';
import { planRedaction } from '../redaction/plan-redaction.js';
import { type KnownTokens, withRestored } from '../redaction/restore.js';
import { answerCall } from './assemble-stream.js';
import type { Channel, Channels } from './channels.js';
import type { GuardInput } from './guard-input.js';
import { append, HEAVY_THINGS_BETWEEN_STOPS, runInTurnsIfNeeded } from '../steps/steps.js';
import { editsByChannel, joiningChannel, joiningChannels, type Joined } from './join-channels.js';
import { isMasked, type RuleWatch } from './rule-watch.js';
import { blockKey } from './stream-ends.js';
import { callGroup, callKeyOf, isBegun, readingStreamToolCalls } from './stream-tool-calls.js';
import type { PlacedCall } from './stream-event.js';

/** The pieces of one call, and the texts to which they belong. */
interface Group {
  readonly pieces: PlacedCall[];
  readonly channels: Set<Channel>;
}

/** Judges the tool calls of a streamed answer, each when it is complete and before its last character is forwarded. */
export class ToolCallJudge {
  private readonly groups = new Map<string, Group>();
  /** Groups that have grown since they were judged. */
  private readonly open = new Set<Group>();
  /** Groups with new information since their last check. */
  private unsure = new Set<Group>();
  private readonly byChannel = new Map<Channel, Group[]>();
  private readonly byBlock = new Map<string, Set<Group>>();
  /** The groups by the result of `callKeyOf` for their texts. */
  private readonly byCallKey = new Map<string, Group[]>();
  /** The number of open groups that contain a text. */
  private readonly openWith = new Map<Channel, number>();
  /** The texts of all complete calls; findings refer to them by the index of the segment. */
  private readonly joined: Joined = { segments: [], texts: [], places: new Map() };
  private readonly findings = new Map<string, LocatedFinding[]>();
  private readonly bySegment = new Map<number, LocatedFinding[]>();
  private readonly failures = new Map<string, DetectorOutcome>();
  /** The masks of findings in a segment, from the verdicts on the calls that the segment belongs to. */
  private readonly specs = new Map<number, RedactSpec[]>();
  private readonly judgedCalls = new Set<string>();
  /** The amount of work since the last yield. */
  private done = 0;
  /** Channels that are complete, but not decided. */
  private readonly waiting = new Set<Channel>();

  constructor(
    private readonly input: GuardInput,
    private readonly tokens: KnownTokens,
    private readonly channels: Channels,
    private readonly answer: GrowingAnswer,
  ) {}

  /** Called for an event with a call or a piece of one. */
  see(call: PlacedCall): void {
    const key = callGroup(call);
    const known = key === undefined ? undefined : this.groups.get(key);
    const group = known ?? { pieces: [], channels: new Set() };
    if (key !== undefined) this.groups.set(key, group);
    group.pieces.push(call);
    this.unsure.add(group);
    if (isBegun(call.scope)) this.begins(blockKey(call.scope), group);
    const isOpen = this.open.has(group);
    for (const channel of call.channels) {
      if (group.channels.has(channel)) continue;
      group.channels.add(channel);
      listOf(this.byChannel, channel).push(group);
      const key = callKeyOf(channel.path);
      if (key !== undefined) listOf(this.byCallKey, key).push(group);
      if (isOpen) this.countOpen(channel, 1);
    }
    if (isOpen) return;
    this.open.add(group);
    for (const channel of group.channels) this.countOpen(channel, 1);
  }

  /** Called when a text has ended. */
  closed(channel: Channel): void {
    for (const group of this.byChannel.get(channel) ?? []) this.unsure.add(group);
  }

  /** Called when a block or item has ended. */
  ended(block: string): void {
    for (const group of this.byBlock.get(block) ?? []) this.unsure.add(group);
  }

  private begins(block: string, group: Group): void {
    const known = this.byBlock.get(block);
    if (known === undefined) this.byBlock.set(block, new Set([group]));
    else known.add(group);
  }

  private countOpen(channel: Channel, more: 1 | -1): void {
    const count = (this.openWith.get(channel) ?? 0) + more;
    if (count === 0) this.openWith.delete(channel);
    else this.openWith.set(channel, count);
  }

  /**
   * @param closed channels of tool calls that have become complete
   * @param isComplete whether the call that a piece belongs to has ended; undefined if the whole answer has ended
   * @returns whether there are new findings, or a detector failed
   */
  async judge(closed: readonly Channel[], isComplete?: (call: PlacedCall) => boolean): Promise<boolean> {
    let hasNews = false;
    for (const channel of closed) {
      hasNews = (await this.scan(channel)) || hasNews;
      await this.othersFirst();
    }
    const complete = isComplete === undefined ? [...this.open] : this.takeComplete(isComplete);
    for (const group of complete) {
      this.open.delete(group);
      for (const channel of group.channels) this.countOpen(channel, -1);
    }
    const calls: ToolCall[][] = [];
    for (const group of complete) calls.push(await this.callsOf(group));
    const areTogether = this.input.plan.tools.mode === 'together';
    const all = areTogether ? calls.flat() : [];
    for (const own of calls) {
      await this.judgeCalls(own, areTogether ? all : own);
    }
    return hasNews;
  }

  /** Yields to other work if enough was done since the last yield. @param things the number of processed items */
  private async othersFirst(things = 1): Promise<void> {
    this.done += things;
    if (this.done < HEAVY_THINGS_BETWEEN_STOPS) return;
    this.done = 0;
    await this.input.turns?.pause();
  }

  private takeComplete(isComplete: (call: PlacedCall) => boolean): Group[] {
    const { unsure } = this;
    this.unsure = new Set();
    return [...unsure].filter((group) => this.open.has(group) && group.pieces.every(isComplete));
  }

  /** The findings of a detector in all calls so far. */
  outcomeOf(detector: string): DetectorOutcome | undefined {
    const failed = this.failures.get(detector);
    if (failed !== undefined) return failed;
    const binding = this.input.detectors.find(({ binding: { key } }) => key === detector)?.binding;
    if (binding === undefined) return undefined;
    const { plugin, revision } = binding;
    return { detector, plugin, revision, status: 'scanned', findings: this.findings.get(detector) ?? [] };
  }

  /**
   * The replacements in the waiting channels, which are then removed from `waiting`; undefined while a finding in one of them
   * can still affect a rule.
   */
  decide(watch: RuleWatch, numbering: Numbering): ReadonlyMap<Channel, readonly TextEdit[]> | undefined {
    const channels = [...this.waiting].filter((channel) => !this.openWith.has(channel));
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
    const { tokens } = this;
    const { hash } = this.input;
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

  /** @returns whether there are findings, or a detector failed */
  private async scan(channel: Channel): Promise<boolean> {
    const first = this.joined.segments.length;
    const { turns } = this.input;
    const { segments } = await runInTurnsIfNeeded(joiningChannels([channel]), turns);
    const outcomes = await this.input.scan(segments);
    await runInTurnsIfNeeded(joiningChannel(this.joined, channel), turns);
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
   * Judges calls whose names are known and whose arguments have begun: rules that refuse such a call regardless of its arguments refuse it
   * now, before any part of the arguments is forwarded.
   * @param keys the calls' keys, as returned by `callKeyOf`
   */
  async refuseEarly(keys: ReadonlySet<string>): Promise<void> {
    const { early } = this.input.plan.tools;
    if (keys.size === 0 || early.size === 0) return;
    const begun = new Set([...keys].flatMap((key) => this.byCallKey.get(key) ?? []));
    for (const group of begun) {
      if (!this.open.has(group)) continue;
      if (this.answer.isRefused) return;
      await this.othersFirst();
      for (const call of await this.calls(group.pieces, [], new Map())) {
        const asBegun = { ...call, segments: [] };
        await this.answer.judgeBegunCall(asBegun, this.answerWith([]), this.outcomesOf(asBegun), early);
      }
    }
  }

  private callsOf({ pieces }: Group): Promise<ToolCall[]> {
    return this.calls(pieces, this.channels.ofBlock(pieces[0]!.scope.index), this.joined.places);
  }

  private async calls(...seen: Parameters<typeof readingStreamToolCalls>): Promise<ToolCall[]> {
    return runInTurnsIfNeeded(readingStreamToolCalls(...seen), this.input.turns);
  }

  private async judgeCalls(own: readonly ToolCall[], all: readonly ToolCall[]): Promise<void> {
    for (const call of own) {
      // Nothing more of a refused answer is forwarded.
      if (this.answer.isRefused) return;
      const identity = JSON.stringify([call.id ?? call.path, call.name, call.args ?? null]);
      if (this.judgedCalls.has(identity)) continue;
      this.judgedCalls.add(identity);
      const { redact } = await this.answer.judgeToolCall(call, this.answerWith(all), this.outcomesOf(call));
      for (const segment of call.segments) append(listOf(this.specs, segment), redact);
      // Each call costs work for all calls that are judged with it, because its facts describe all of them.
      await this.othersFirst(all.length);
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
