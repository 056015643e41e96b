import type { GuardInput } from './guard-input.js';
import { FindingTallies } from '../facts/finding-tally.js';
import { Unknown, type FactSet } from '../model/fact.js';
import type { LocatedFinding } from '../model/finding.js';
import type { TextEdit } from '../text/edit.js';
import { Numbering } from '../redaction/numbering.js';
import { KnownTokens } from '../redaction/restore.js';
import { eachInSteps, isHeavyStop, runInTurnsIfNeeded, type Steps } from '../steps/steps.js';
import { answerCall, readingEvents } from './assemble-stream.js';
import { CallEnds } from './call-ends.js';
import type { Channel, HeldPiece } from './channels.js';
import { GrowingAnswer } from '../judge/index.js';
import { after, type StreamTransition, type PendingEvaluation, type State } from './guard-state.js';
import { GuardedChannel } from './guarded-channel.js';
import { GuardedBlock, Outbox } from './outbox.js';
import { OpenTexts } from './open-texts.js';
import { decidingMasks, RuleWatch } from './rule-watch.js';
import { parsingSse, SseBlocks } from './sse.js';
import { StreamOrderError } from './stream-order-error.js';
import { choiceOf, endedBy, isLast } from './stream-ends.js';
import { filesIn, StreamReader } from './stream-reader.js';
import type { StreamedFile, StreamEvent } from './stream-event.js';
import { isBegun } from './stream-tool-calls.js';
import { WaitingSnapshots, type TextPlace } from './waiting-snapshots.js';
import type { StreamDetectors } from './text-scan.js';
import { ToolCallJudge } from './tool-call-judge.js';
import { ToolRelease } from './tool-release.js';

const NO_FILES: readonly StreamedFile[] = [];

/** The events that may be forwarded after a step. */
export interface GuardStep {
  readonly text: string;
  /** Whether a rule refuses the answer: nothing more is forwarded. */
  readonly blocked: boolean;
  /** Number of characters of texts that are held back. */
  readonly heldUnits: number;
  /** The base64 content of the events of this step. */
  readonly files: readonly StreamedFile[];
}

/**
 * Guards an event stream while it is forwarded: text that no rule can change any more is forwarded at once, masked where a rule requires
 * it. Undecided text waits. The event that declares the answer complete waits until `end`. However the stream is cut into pieces, the
 * forwarded texts equal those of the whole answer after masking; repetitions of a text are masked like the text. A tool call is judged
 * before the end of its arguments is forwarded. Events before the first text are forwarded with it.
 */
export class GuardedStream {
  private readonly blocks = new SseBlocks();
  private readonly reader: StreamReader;
  private readonly channels = new Map<Channel, GuardedChannel>();
  private readonly outbox = new Outbox();
  private readonly snapshots: WaitingSnapshots;
  private readonly answer: GrowingAnswer;
  private readonly watch: RuleWatch;
  private readonly failed = new Set<string>();
  private readonly numbering = new Numbering();
  private readonly tallies = new FindingTallies();
  private readonly ends = new CallEnds(this.channels);
  private readonly toolJudge: ToolCallJudge;
  private readonly tokens: KnownTokens;
  private readonly toolRelease: ToolRelease;
  private readonly relevant: StreamDetectors;
  /** Channels that are not yet decided up to their end. */
  private readonly undecided = new Set<GuardedChannel>();
  /** Undecided channels that may continue. */
  private readonly open = new OpenTexts();
  /** Channels that have grown or ended in this step. */
  private readonly touched = new Set<GuardedChannel>();
  private closedTools: GuardedChannel[] = [];
  /** Whether a part of a tool call has arrived: until then there are only texts to judge. */
  private hasSeenCalls = false;
  private mayCompleteCalls = false;
  private channelCount = 0;
  /** Number of undecided characters of all texts. */
  private heldUnits = 0;
  private readonly files: StreamedFile[] = [];
  private state: State = 'new';
  private pending: PendingEvaluation = 'nothing';
  /** Decided output that waits for the first forwarded text. */
  private leading = '';
  private knownFailures = 0;
  /** Whether a forwarded text was masked. */
  private hasMasked = false;

  constructor(private readonly input: GuardInput) {
    this.reader = new StreamReader(false, input.digest);
    this.snapshots = new WaitingSnapshots(this.reader.channels);
    this.answer = new GrowingAnswer(input);
    this.watch = new RuleWatch(input.policy, input.plan, this.answer);
    this.tokens = new KnownTokens(input.tokens);
    this.toolJudge = new ToolCallJudge(input, this.tokens, this.reader.channels, this.answer, this.ends, this.tallies);
    this.toolRelease = new ToolRelease(input, this.tokens, this.tallies);
    this.relevant = input.detectors.flatMap((detector) => {
      const codes = input.plan.codes.get(detector.binding.key);
      return codes === undefined ? [] : [{ detector, codes }];
    });
  }

  /**
   * Processes the next characters of the stream. All events that they complete are judged together.
   * @throws StreamOrderError, or JsonSyntaxError for an event that exceeds the limits of JSON and therefore cannot be
   * read
   */
  async push(piece: string): Promise<GuardStep> {
    if (this.state === 'new') await this.start();
    const blocks = this.blocks.push(piece);
    if (this.isRefused || blocks.length === 0) return this.step('');
    // Only promises are awaited: most streams send an event for each word.
    const taken = this.inTurns(eachInSteps(blocks, (block) => this.taking(block)));
    if (taken !== undefined) await taken;
    await this.judge();
    const released = this.inTurns(this.releasing());
    return this.step(typeof released === 'string' ? released : await released);
  }

  /** Ends the stream. */
  async end(): Promise<GuardStep> {
    await this.start();
    if (!this.isRefused) {
      await this.inTurns(eachInSteps(this.blocks.end(), (block) => this.taking(block)));
      await this.judge();
    }
    if (this.isRefused) return this.step('');
    await this.inTurns(eachInSteps(this.undecided, (channel) => this.closing(channel)));
    this.mayCompleteCalls = true;
    await this.judgeTools(true);
    // For a text without findings, the rules were evaluated before it began.
    if (this.hasSeenCalls || this.hasNews) await this.update(true);
    this.watch.close();
    this.becomes('ends');
    if (!this.isRefused) this.outbox.complete();
    await this.inTurns(eachInSteps(this.undecided, (channel) => this.settling(channel)));
    this.settleTools();
    return this.step(await this.inTurns(this.releasing()));
  }

  private inTurns<Result>(steps: Steps<Result>): Promise<Result> | Result {
    return runInTurnsIfNeeded(steps, this.input.turns);
  }

  private get isRefused(): boolean {
    return this.state === 'refused';
  }

  /** Whether there is anything new since the last evaluation of the rules. */
  private get hasNews(): boolean {
    return this.pending !== 'nothing' || this.failed.size > this.knownFailures;
  }

  private becomes(happening: StreamTransition): void {
    this.state = after(this.state, happening);
  }

  private foundSomething(): void {
    if (this.pending === 'nothing') this.pending = 'findings';
  }

  private step(text: string): GuardStep {
    const files = this.files.length === 0 ? NO_FILES : this.files.splice(0);
    return { text, blocked: this.isRefused, heldUnits: this.heldUnits, files };
  }

  /** Evaluates, before the answer begins, the rules that need no part of it. */
  private async start(): Promise<void> {
    if (this.state !== 'new') return;
    this.becomes('begins');
    await this.update(true);
  }

  private *taking(block: string): Steps<void> {
    const events = yield* readingEvents(this.reader, yield* parsingSse(block, this.outbox.isUnused));
    const guarded = new GuardedBlock(block, events, choiceOf(events), events.some(isLast));
    this.outbox.add(guarded);
    for (const file of filesIn(events)) this.files.push(file);
    for (const event of events) {
      yield* this.addingPieces(event, guarded);
      yield* this.closingEnded(event);
    }
    for (const channel of this.reader.channels.takeOutrun()) yield* this.outrunning(channel);
    yield* eachInSteps(this.snapshots.takeOutgrown(), (piece) => this.addPiece(piece.held, piece));
  }

  /** Judges the events of this step. */
  private async judge(): Promise<void> {
    const read = this.inTurns(eachInSteps(this.touched, (channel) => this.reading(channel)));
    if (read !== undefined) await read;
    if (this.hasSeenCalls) await this.judgeBegun();
    // Most steps bring words without findings: they are handled synchronously.
    const changed = this.hasNews && (await this.update(false)) ? this.undecided : this.touched;
    const settled = this.inTurns(eachInSteps(changed, (channel) => this.settling(channel)));
    if (settled !== undefined) await settled;
    if (this.hasSeenCalls) this.settleTools();
    this.touched.clear();
  }

  private *reading(channel: GuardedChannel): Steps<void> {
    this.remember(yield* channel.reading());
  }

  /** Judges the received parts of tool calls. */
  private async judgeBegun(): Promise<void> {
    if (this.toolRelease.read()) this.foundSomething();
    await this.inTurns(eachInSteps(this.toolRelease.takeComplete(), (channel) => this.closing(channel)));
    await this.toolJudge.refuseEarly(this.toolRelease.takeBegun());
    if (this.answer.isRefused) this.becomes('is refused');
    await this.judgeTools(false);
  }

  private *addingPieces(event: StreamEvent, block: GuardedBlock): Steps<void> {
    for (const [segment, held] of event.held.entries()) {
      const closing = this.addPiece(held, { event, segment, block });
      if (closing !== undefined) yield* closing;
      if (held.also !== undefined) this.addPiece(held.also, { event, segment, block });
    }
    for (const call of event.calls) {
      this.hasSeenCalls = true;
      this.toolJudge.see(call);
      this.ends.see(call);
      this.mayCompleteCalls ||= !call.call.partial;
    }
    this.toolRelease.saw(event);
  }

  private addPiece(held: HeldPiece, place: TextPlace): Steps<void> | undefined {
    const channel = this.channelOf(held.channel);
    if (channel.closed && held.added !== '' && !this.toolRelease.mayFollow(channel, held.added))
      throw new StreamOrderError('the stream continues a text that it declared complete');
    channel.add(held);
    this.heldUnits += held.added.length;
    const isOfCall = held.channel.role === 'tool_call';
    if (isOfCall) this.addToCall(channel, held.added);
    // The texts of a call that has only begun are not complete before its arguments are.
    const begins = isOfCall && isBegun(place.event.scope);
    place.block.add({ event: place.event, segment: place.segment, channel, start: held.start, end: held.end });
    if (held.snapshot !== undefined) this.snapshots.note(held.snapshot, place);
    this.touched.add(channel);
    return held.channel.whole && !begins ? this.closing(channel) : undefined;
  }

  private addToCall(channel: GuardedChannel, text: string): void {
    this.hasSeenCalls = true;
    for (const each of this.toolRelease.add(channel, text)) this.touched.add(each);
    // The added text is white space after a call that was forwarded.
    if (channel.closed && !this.undecided.has(channel)) this.decide(channel, channel.length, []);
  }

  private channelOf(channel: Channel): GuardedChannel {
    const known = this.channels.get(channel);
    if (known !== undefined) return known;
    // The texts of tool calls are judged when complete, with their keys.
    const isTool = channel.role === 'tool_call';
    const tokens = isTool ? new KnownTokens(new Map()) : this.tokens;
    const guarded = new GuardedChannel(channel, this.channelCount++, isTool ? [] : this.relevant, tokens, this.failed);
    // Nothing is added to a complete text, unless other events repeat it.
    if (!channel.whole || channel.isRetold || isTool) this.channels.set(channel, guarded);
    this.undecided.add(guarded);
    this.open.add(guarded);
    return guarded;
  }

  private *closing(channel: GuardedChannel): Steps<void> {
    if (channel.closed) return;
    this.remember(yield* channel.closing());
    this.open.delete(channel);
    this.toolJudge.closed(channel.channel);
    this.touched.add(channel);
    if (channel.channel.role !== 'tool_call') return;
    this.toolRelease.close(channel, this.numbering);
    this.closedTools.push(channel);
  }

  private *closingEnded(event: StreamEvent): Steps<void> {
    const ended = endedBy(event);
    if (ended === undefined) return;
    yield* eachInSteps(this.open.endedBy(ended), (guarded) => this.closing(guarded));
    for (const block of this.ends.end(ended)) this.toolJudge.ended(block);
    this.mayCompleteCalls = true;
  }

  /** Ends a channel that repeats another text or was replaced by another text. */
  private *outrunning(channel: Channel): Steps<void> {
    const guarded = this.channelOf(channel);
    if (channel.repeats === undefined) {
      yield* this.closing(guarded);
      // Nothing is added to an ended text of tokens, of which a stream may have many.
      if (!channel.isSoFar) this.channels.delete(channel);
      return;
    }
    this.heldUnits -= guarded.length - guarded.limit;
    this.toolRelease.close(guarded, this.numbering);
    guarded.becomes(this.channelOf(channel.repeats));
    this.undecided.delete(guarded);
    this.open.delete(guarded);
    this.toolJudge.becomes(channel, channel.repeats);
    this.outbox.decided(guarded);
  }

  private remember(findings: readonly LocatedFinding[]): void {
    for (const finding of findings) {
      this.tallies.add(finding);
      this.foundSomething();
    }
  }

  /** Evaluates the rules again when there is something new. @returns whether more of any text may be decided now */
  private async update(always: boolean): Promise<boolean> {
    const hasFailed = this.failed.size > this.knownFailures;
    // A rule may refuse when the scan of a tool call has failed.
    const isNew = hasFailed || this.pending === 'tool calls' || (this.pending === 'findings' && !this.watch.isFinal);
    if (!isNew && !always) return false;
    this.pending = 'nothing';
    this.knownFailures = this.failed.size;
    const call = answerCall(this.input.dialect, [], []);
    const isChanged = await this.watch.update(call, this.facts());
    if (this.answer.isRefused) this.becomes('is refused');
    return isChanged || hasFailed;
  }

  /** The facts of all findings, in texts and tool calls, by detector. */
  private facts(): FactSet {
    const { failed, toolJudge, tallies } = this;
    const factsOf = (key: string): FactSet[string] =>
      failed.has(key) ? new Unknown('failed', key) : (toolJudge.failureOf(key) ?? tallies.factsOf(key));
    return Object.fromEntries(this.input.detectors.map(({ binding: { key } }) => [key, factsOf(key)]));
  }

  /** Judges the tool calls that are complete now. */
  private async judgeTools(isEnd: boolean): Promise<void> {
    if (this.closedTools.length === 0 && !this.mayCompleteCalls) return;
    const closed = this.closedTools.map(({ channel }) => channel);
    this.closedTools = [];
    this.mayCompleteCalls = false;
    const isNew = await this.toolJudge.judge(closed, isEnd);
    if (isNew) this.pending = 'tool calls';
    if (this.answer.isRefused) this.becomes('is refused');
  }

  /** Determines how much of a text is decided. */
  private *settling(channel: GuardedChannel): Steps<void> {
    if (!this.undecided.has(channel)) return;
    const { watch, numbering, input } = this;
    const sparesSigned = input.policy.unmaskable.signed === 'flag';
    if (channel.channel.role === 'tool_call') {
      const masks = this.toolRelease.settle(channel, { watch, numbering, hash: input.hash });
      if (masks !== undefined) this.decide(channel, masks.limit, masks.edits);
      return;
    }
    const masks = yield* decidingMasks(channel, watch, numbering, input.hash, sparesSigned);
    if (masks.isRefused === true) this.answer.refuseSigned();
    if (this.answer.isRefused) this.becomes('is refused');
    this.decide(channel, masks.limit, masks.edits);
    if (channel.isDone) this.undecided.delete(channel);
  }

  /** Forwards the end of a tool call when all of its findings are decided. */
  private settleTools(): void {
    for (const [channel, edits] of this.toolJudge.decide(this.watch, this.numbering) ?? []) {
      const guarded = this.channels.get(channel)!;
      this.decide(guarded, guarded.length, guarded.undecidedOf(edits));
      this.undecided.delete(guarded);
    }
    if (this.answer.isRefused) this.becomes('is refused');
  }

  private decide(channel: GuardedChannel, limit: number, edits: readonly TextEdit[]): void {
    const before = channel.limit;
    channel.settle(limit, edits);
    this.heldUnits -= channel.limit - before;
    if (channel.limit > before) this.outbox.decided(channel);
  }

  private *releasing(): Steps<string> {
    let text = '';
    for (let count = 0; !this.isRefused; count++) {
      const block = this.outbox.take();
      if (block === undefined) break;
      const released = block.release(this.hasMasked);
      this.snapshots.forwarded(block);
      text += released.text;
      this.hasMasked = released.isMasked;
      if (block.hasText) this.becomes('text leaves');
      if (isHeavyStop(count)) yield;
    }
    // Events before the first text wait for it: until then, a refusal can be an ordinary error answer.
    this.leading += text;
    if (this.state === 'leading' || this.isRefused) return '';
    const leaving = this.leading;
    this.leading = '';
    return leaving;
  }
}
