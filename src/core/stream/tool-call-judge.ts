import type { FindingTallies } from '../facts/finding-tally.js';
import type { DecodedCall, ToolCall } from '../model/call.js';
import type { RedactSpec } from '../model/decision.js';
import { Unknown } from '../model/fact.js';
import type { DetectorOutcome, LocatedFinding } from '../model/finding.js';
import type { GrowingAnswer } from '../judge/index.js';
import type { TextEdit } from '../text/edit.js';
import type { Numbering } from '../redaction/numbering.js';
import { planRedaction } from '../redaction/plan-redaction.js';
import { type KnownTokens, withRestored } from '../redaction/restore.js';
import { answerCall } from './assemble-stream.js';
import type { CallEnds } from './call-ends.js';
import { CallGroup, firstFrom } from './call-group.js';
import type { Channel, Channels } from './channels.js';
import type { GuardInput } from './guard-input.js';
import { HEAVY_THINGS_BETWEEN_STOPS, runInTurnsIfNeeded } from '../steps/steps.js';
import { editsByChannel, joiningChannel, joiningChannels, type Joined } from './join-channels.js';
import { isMasked, type RuleWatch } from './rule-watch.js';
import { blockKey } from './stream-ends.js';
import { callGroup, callKeyOf, isBegun, readingStreamToolCalls } from './stream-tool-calls.js';
import type { PlacedCall } from './stream-event.js';
import { identityOf, ShortKeys } from './tool-call-occurrence.js';
import { WaitingTexts } from './waiting-texts.js';

/** The verdict on a call. */
interface JudgedCall {
  /** The places of its texts. */
  readonly segments: readonly number[];
  readonly redact: readonly RedactSpec[];
}

/** A call that was masked, with the masks in their written form. */
interface MaskedCall extends Pick<JudgedCall, 'segments'> {
  readonly repeats: ToolCall['repeats'] | undefined;
  readonly specs: Set<string>;
}

/** Whether all texts of one occurrence of a call are in another one. */
interface ComparedTexts {
  readonly texts: readonly number[];
  readonly known: readonly number[];
  readonly areKnown: boolean;
}

/** Judges the tool calls of a streamed answer, each when it is complete and before its last character is forwarded. */
export class ToolCallJudge {
  private readonly groups = new Map<string, CallGroup>();
  /** Groups that have grown since they were judged. */
  private readonly open = new Set<CallGroup>();
  /** Groups with new information since their last check. */
  private unsure = new Set<CallGroup>();
  /** Groups of whole calls that have arrived in this step. */
  private arrived = new Set<CallGroup>();
  private readonly byChannel = new Map<Channel, CallGroup[]>();
  private readonly byBlock = new Map<string, Set<CallGroup>>();
  /** The groups by the result of `callKeyOf` for their texts. */
  private readonly byCallKey = new Map<string, CallGroup[]>();
  /** By the index of a block or item, the number of its texts, from the first, that are known to have ended. */
  private readonly endedTexts = new Map<PlacedCall['scope']['index'], number>();
  /** The texts of all complete calls; findings refer to them by the index of the segment. */
  private readonly joined: Joined = { segments: [], texts: [], places: new Map() };
  private readonly bySegment = new Map<number, LocatedFinding[]>();
  private readonly failures = new Map<string, DetectorOutcome>();
  /** The masks of findings in a segment, from the verdicts on the calls that the segment belongs to. */
  private readonly specs = new Map<number, RedactSpec[]>();
  private readonly judgedCalls = new Map<string, JudgedCall>();
  private readonly keys = new ShortKeys((value) => JSON.stringify(value));
  /** The last call that was masked, and its masks: all calls within a call have the same texts. */
  private masked: MaskedCall | undefined;
  /** The last two lists of texts that were compared: all calls within a call have the same list. */
  private compared: ComparedTexts | undefined;
  /** The amount of work since the last yield. */
  private done = 0;
  private readonly waiting = new WaitingTexts();
  /** A finding of a complete text that can still affect a rule. */
  private blocking: LocatedFinding | undefined;

  constructor(
    private readonly input: GuardInput,
    private readonly tokens: KnownTokens,
    private readonly channels: Channels,
    private readonly answer: GrowingAnswer,
    private readonly ends: CallEnds,
    private readonly tallies: FindingTallies,
  ) {}

  /** Called for an event with a call or a piece of one. */
  see(call: PlacedCall): void {
    const key = callGroup(call);
    const known = key === undefined ? undefined : this.groups.get(key);
    const group = known ?? new CallGroup(key !== undefined);
    if (key !== undefined) this.groups.set(key, group);
    group.pieces.push(call);
    this.unsure.add(group);
    if (!call.call.partial && !isBegun(call.scope)) this.arrived.add(group);
    if (!this.open.has(group)) {
      this.open.add(group);
      this.countOpen(group, 1);
    }
    if (isBegun(call.scope)) this.begins(blockKey(call.scope), group);
    for (const channel of call.channels) this.include(channel, group);
  }

  /** Called when a text has ended. */
  closed(channel: Channel): void {
    for (const group of this.byChannel.get(channel) ?? []) this.unsure.add(group);
    const block = blockKey(channel.scope);
    if (channel.scope.index !== undefined && this.ends.hasEnded(block)) this.ended(block);
  }

  /** Called when a text turned out to repeat another one, which then belongs to the same calls. */
  becomes(channel: Channel, other: Channel): void {
    this.endedTexts.delete(channel.scope.index);
    for (const group of this.byChannel.get(channel) ?? []) {
      this.unsure.add(group);
      group.reopen();
      this.include(other, group);
    }
  }

  /** Called when a block or item has ended. */
  ended(block: string): void {
    for (const group of this.byBlock.get(block) ?? []) this.unsure.add(group);
  }

  private begins(block: string, group: CallGroup): void {
    if (group.blocks.has(block)) return;
    group.blocks.add(block);
    const known = this.byBlock.get(block);
    if (known === undefined) this.byBlock.set(block, new Set([group]));
    else known.add(group);
    this.waiting.opens(block);
  }

  /** Adds a text to an open group. */
  private include(channel: Channel, group: CallGroup): void {
    if (group.channels.has(channel)) return;
    group.channels.add(channel);
    listOf(this.byChannel, channel).push(group);
    const key = callKeyOf(channel.path);
    if (key !== undefined) listOf(this.byCallKey, key).push(group);
    if (this.open.has(group)) this.waiting.opens(channel);
  }

  private countOpen({ channels, blocks }: CallGroup, more: 1 | -1): void {
    for (const part of [...channels, ...blocks]) {
      if (more === 1) this.waiting.opens(part);
      else this.waiting.closes(part);
    }
  }

  /**
   * @param closed channels of tool calls that have become complete
   * @param isEnd whether the whole answer has ended
   * @returns whether there are new findings, or a detector failed
   */
  async judge(closed: readonly Channel[], isEnd: boolean): Promise<boolean> {
    let hasNews = false;
    for (const channel of closed) {
      hasNews = (await this.scan(channel)) || hasNews;
      await this.othersFirst();
    }
    const areTogether = this.input.plan.tools.mode === 'together';
    const complete = isEnd ? [...this.open] : areTogether ? [] : this.takeComplete();
    for (const group of complete) {
      this.open.delete(group);
      this.countOpen(group, -1);
    }
    const calls: ToolCall[][] = [];
    for (const group of complete) calls.push(await this.callsOf(group));
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

  private takeComplete(): CallGroup[] {
    const { unsure } = this;
    this.unsure = new Set();
    return [...unsure].filter((group) => this.open.has(group) && this.isComplete(group));
  }

  private isComplete(group: CallGroup): boolean {
    if (!group.arePiecesComplete((piece) => this.ends.isComplete(piece))) return false;
    if (group.blocks.size === 0) return true;
    // Other events of the block contain the arguments.
    const { index } = group;
    const texts = this.channels.ofBlock(index);
    const ended = firstFrom(texts, this.endedTexts.get(index) ?? 0, (channel) => !this.ends.isClosed(channel));
    this.endedTexts.set(index, ended);
    return ended === texts.length;
  }

  /** Why the findings of a detector in the calls are unknown; undefined if it has not failed. */
  failureOf(detector: string): Unknown | undefined {
    const failed = this.failures.get(detector);
    return failed?.status === 'failed' ? new Unknown(failed.reason, detector) : undefined;
  }

  /**
   * The replacements in the complete texts that no open call contains, which then no longer wait; undefined if there are none, and while a
   * finding in one of them can still affect a rule.
   */
  decide(watch: RuleWatch, numbering: Numbering): ReadonlyMap<Channel, readonly TextEdit[]> | undefined {
    const { blocking } = this;
    const isBlocked = blocking !== undefined && watch.isOpen(blocking.detector, blocking.code);
    if (isBlocked || this.waiting.areAllWaiting) return undefined;
    const channels = this.waiting.readyTexts();
    const segments = channels.flatMap((channel) => this.joined.places.get(channel)!.segments);
    const findings = segments.flatMap((segment) => this.bySegment.get(segment) ?? []);
    this.blocking = findings.find(({ detector, code }) => watch.isOpen(detector, code));
    if (this.blocking !== undefined) return undefined;
    const edits = this.edits(segments, findings, watch, numbering);
    const decided = new Map<Channel, readonly TextEdit[]>();
    for (const channel of channels) decided.set(channel, edits.get(channel) ?? []);
    this.waiting.decided();
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
        this.tallies.add(placed);
        listOf(this.bySegment, placed.segment).push(placed);
      }
    }
    return outcomes.some((outcome) => outcome.status === 'failed' || outcome.findings.length > 0);
  }

  /**
   * Judges calls whose names are known and whose arguments have begun: rules that refuse such a call regardless of its arguments refuse it
   * now, before any part of the arguments is forwarded, and before the end of a whole call whose texts might still continue.
   * @param keys the keys of calls in pieces, as returned by `callKeyOf`
   */
  async refuseEarly(keys: ReadonlySet<string>): Promise<void> {
    const { early } = this.input.plan.tools;
    const { arrived } = this;
    if (arrived.size > 0) this.arrived = new Set();
    if (early.size === 0 || (keys.size === 0 && arrived.size === 0)) return;
    const begun = new Set([...keys].flatMap((key) => this.byCallKey.get(key) ?? []));
    for (const group of new Set([...begun, ...arrived])) {
      if (!this.open.has(group) || (arrived.has(group) && this.isComplete(group))) continue;
      if (this.answer.isRefused) return;
      await this.othersFirst();
      // Each event with a whole call names it, so its earlier pieces need not be judged again.
      const latest = group.takeEarly();
      const pieces = begun.has(group) ? group.pieces : latest;
      for (const call of await this.calls(pieces, [], { segments: [], places: new Map() })) {
        const asBegun = { ...call, segments: [] };
        await this.answer.judgeBegunCall(asBegun, this.answerWith([]), this.outcomesOf(asBegun), early);
      }
    }
  }

  private callsOf(group: CallGroup): Promise<ToolCall[]> {
    const pieces = group.takeForVerdict();
    // A repetition has only its own texts.
    const others = pieces === group.pieces ? this.channels.ofBlock(group.index) : [];
    return this.calls(pieces, others, this.joined);
  }

  private async calls(...seen: Parameters<typeof readingStreamToolCalls>): Promise<ToolCall[]> {
    return runInTurnsIfNeeded(readingStreamToolCalls(...seen), this.input.turns);
  }

  private async judgeCalls(own: readonly ToolCall[], all: readonly ToolCall[]): Promise<void> {
    let scoped: { readonly texts: readonly number[]; readonly outcomes: DetectorOutcome[] } | undefined;
    for (const call of own) {
      // Nothing more of a refused answer is forwarded.
      if (this.answer.isRefused) return;
      const identity = identityOf(call, this.keys);
      const before = this.judgedCalls.get(identity);
      if (before !== undefined && this.areKnown(call.segments, before.segments)) {
        this.mask(call, before.redact);
        continue;
      }
      // All calls within a call have the same texts, and so the same findings.
      if (scoped?.texts !== call.segments) scoped = { texts: call.segments, outcomes: this.outcomesOf(call) };
      const { redact } = await this.answer.judgeToolCall(call, this.answerWith(all), scoped.outcomes);
      this.judgedCalls.set(identity, { segments: call.segments, redact });
      this.mask(call, redact);
      // Each call costs work for all calls that are judged with it, because its facts describe all of them.
      await this.othersFirst(all.length);
    }
  }

  /** Whether these texts are among those of another occurrence of a call. */
  private areKnown(texts: readonly number[], known: readonly number[]): boolean {
    if (texts === known) return true;
    if (this.compared?.texts !== texts || this.compared.known !== known) {
      const { segments } = this.joined;
      const all = new Set(known.map((place) => segments[place]!.text));
      this.compared = { texts, known, areKnown: texts.every((place) => all.has(segments[place]!.text)) };
    }
    return this.compared.areKnown;
  }

  /** Masks a call in every place in which the stream tells it. */
  private mask({ segments, repeats }: ToolCall, redact: readonly RedactSpec[]): void {
    if (redact.length === 0) return;
    let { masked } = this;
    if (masked === undefined || masked.segments !== segments || masked.repeats !== repeats) {
      masked = { segments, repeats, specs: new Set() };
      this.masked = masked;
    }
    for (const spec of redact) {
      const written = JSON.stringify(spec);
      if (masked.specs.has(written)) continue;
      masked.specs.add(written);
      for (const places of [segments, repeats ?? []]) for (const place of places) listOf(this.specs, place).push(spec);
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
