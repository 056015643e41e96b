import type { DecodedCall, Dialect, Segment } from '../call/call.js';
import type { BoundDetector } from '../detection/bind.js';
import type { DetectorOutcome, LocatedFinding } from '../detection/scan.js';
import type { FactInput } from '../facts/build-facts.js';
import type { CompiledPolicy } from '../policy/compiled.js';
import { mergeSpans } from '../redaction/merge-spans.js';
import { planRedaction, type Numbering } from '../redaction/plan-redaction.js';
import type { KeyedHash } from '../redaction/stable-token.js';
import type { AnswerPlan } from './answer-plan.js';
import { answerCall } from './assemble-stream.js';
import type { Channel } from './channels.js';
import { GuardedBlock } from './guarded-event.js';
import { GuardedChannel } from './guarded-channel.js';
import { RuleWatch } from './rule-watch.js';
import { parseSse } from './sse.js';
import { SseBlocks } from './sse-blocks.js';
import { endedBy, isLast } from './stream-ends.js';
import { StreamReader, type StreamEvent } from './stream-reader.js';
import type { PlacedCall } from './stream-tool-calls.js';
import { isMasked, ToolCallJudge } from './tool-call-judge.js';

export interface GuardInput {
  readonly dialect: Dialect;
  readonly policy: CompiledPolicy;
  readonly plan: AnswerPlan;
  readonly detectors: readonly BoundDetector[];
  readonly facts: Pick<FactInput, 'context' | 'structures' | 'budgets'> & { readonly request: DecodedCall };
  /** What was found in the request: tool calls are judged by it, too. */
  readonly requestOutcomes: readonly DetectorOutcome[];
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** From stable tokens of the request to the values that are put back. */
  readonly tokens: ReadonlyMap<string, string>;
  readonly hash?: KeyedHash;
  /** Scans texts that are complete, by every detector. */
  scan(segments: readonly Segment[]): Promise<readonly DetectorOutcome[]>;
}

/** What may leave after a step. */
export interface GuardStep {
  readonly text: string;
  /** A rule refuses the answer: nothing leaves any more. */
  readonly blocked: boolean;
  /** Characters of texts that are held back. */
  readonly heldUnits: number;
}

/** A stream that goes on with a text after it said that the text was complete. */
export class StreamOrderError extends Error {
  override readonly name = 'StreamOrderError';
}

/**
 * Guards an event stream on its way: what no rule can touch any more leaves at once, what a rule masks leaves masked, and
 * only what is undecided waits, and the event that says that the answer is complete, until `end`. Over any cut of the stream the texts that leave are those of the whole answer, masked.
 * Tool calls are judged, and leave, as wholes. Events before the first text leave with it.
 */
export class GuardedStream {
  private readonly blocks = new SseBlocks();
  private readonly reader = new StreamReader();
  private readonly channels = new Map<Channel, GuardedChannel>();
  private readonly queue: GuardedBlock[] = [];
  private readonly watch: RuleWatch;
  private readonly failed = new Set<string>();
  private readonly numbering: Numbering = new Map();
  private readonly found = new Map<string, LocatedFinding[]>();
  private readonly endedBlocks = new Set<string>();
  private readonly toolJudge: ToolCallJudge;
  /** Those that are not decided to their end. */
  private readonly undecided = new Set<GuardedChannel>();
  private readonly toolTexts: GuardedChannel[] = [];
  private started = false;
  private isBeginning = true;
  private ended = false;
  private begun = false;
  private leading = '';
  private hasNews = false;
  private hasToolNews = false;
  private blocked = false;
  private knownFailures = 0;

  constructor(private readonly input: GuardInput) {
    this.watch = new RuleWatch(input.policy, input.plan, input.nowMs);
    this.toolJudge = new ToolCallJudge(input, this.reader);
  }

  /**
   * Takes the next characters of the stream.
   * @throws StreamOrderError, or JsonSyntaxError for an event over the limits of JSON: nobody can say what is in it
   */
  async push(piece: string): Promise<GuardStep> {
    await this.start();
    let text = '';
    for (const block of this.blocks.push(piece)) {
      if (this.blocked) break;
      await this.take(block);
      text += this.release();
    }
    return this.step(text);
  }

  /** The stream is over. */
  async end(): Promise<GuardStep> {
    await this.start();
    for (const block of this.blocks.end()) if (!this.blocked) await this.take(block);
    if (this.blocked) return this.step('');
    for (const channel of this.undecided) this.remember(channel.close());
    await this.judgeTools(() => true);
    await this.update(true);
    this.watch.close();
    this.ended = true;
    this.settleAll();
    return this.step(this.release());
  }

  private step(text: string): GuardStep {
    const heldUnits = [...this.undecided].reduce((sum, { text: { length }, limit }) => sum + length - limit, 0);
    return { text, blocked: this.blocked, heldUnits };
  }

  /** Rules that need nothing of the answer decide before it begins. */
  private async start(): Promise<void> {
    if (this.started) return;
    this.started = true;
    await this.update(true);
  }

  private async take(block: string): Promise<void> {
    const parsed = parseSse(block, this.isBeginning);
    this.isBeginning = false;
    const events = [
      ...parsed.events.map((event) => this.reader.read(event, 'event')),
      ...parsed.otherLines.map((line) => this.reader.read(line, 'line')),
    ];
    const guarded = new GuardedBlock(block, events);
    guarded.waitsForEnd = events.some(isLast);
    this.queue.push(guarded);
    const touched = new Set<GuardedChannel>();
    for (const event of events) {
      this.addPieces(event, guarded, touched);
      this.closeEnded(event, touched);
    }
    await this.judgeTools((call) => this.isComplete(call));
    if (await this.update(false)) this.settleAll();
    else for (const channel of touched) this.settle(channel);
  }

  private addPieces(event: StreamEvent, guarded: GuardedBlock, touched: Set<GuardedChannel>): void {
    event.segments.forEach(({ text }, index) => {
      const held = event.held[index]!;
      const channel = this.channelOf(held);
      if (channel.closed) {
        if (text === '') return;
        throw new StreamOrderError('the stream goes on with a text that it said was complete');
      }
      const start = channel.text.length;
      this.remember(channel.push(text));
      // A call that has only begun is complete with its arguments.
      const begins = held.role === 'tool_call' && isBegun(event.scope.type);
      if (held.whole && !begins) this.remember(channel.close());
      guarded.add({ event, segment: index, channel, start, end: start + text.length });
      touched.add(channel);
    });
  }

  private channelOf(channel: Channel): GuardedChannel {
    let guarded = this.channels.get(channel);
    if (guarded === undefined) {
      // The texts of tool calls are judged as wholes, with their keys.
      const detectors = channel.role === 'tool_call' ? [] : this.relevantDetectors();
      const tokens = channel.role === 'tool_call' ? new Map<string, string>() : this.input.tokens;
      guarded = new GuardedChannel(channel, this.channels.size, detectors, tokens, this.failed);
      this.channels.set(channel, guarded);
      this.undecided.add(guarded);
      if (channel.role === 'tool_call') this.toolTexts.push(guarded);
    }
    return guarded;
  }

  private relevantDetectors(): { readonly detector: BoundDetector; readonly codes: ReadonlySet<string> }[] {
    return this.input.detectors.flatMap((detector) => {
      const codes = this.input.plan.codes.get(detector.binding.key);
      return codes === undefined ? [] : [{ detector, codes }];
    });
  }

  private closeEnded(event: StreamEvent, touched: Set<GuardedChannel>): void {
    const ended = endedBy(event);
    for (const guarded of this.undecided) {
      if (guarded.closed || !ended.channel(guarded.channel)) continue;
      this.remember(guarded.close());
      touched.add(guarded);
    }
    for (const { scope } of this.reader.calls) {
      if (ended.block(scope.type, scope.index)) this.endedBlocks.add(blockKey(scope.type, scope.index));
    }
  }

  private remember(findings: readonly LocatedFinding[]): void {
    for (const finding of findings) {
      const known = this.found.get(finding.detector);
      if (known === undefined) this.found.set(finding.detector, [finding]);
      else known.push(finding);
      this.hasNews = true;
    }
  }

  /** Evaluates the rules again when there is something new. @returns whether they were */
  private async update(always: boolean): Promise<boolean> {
    const hasFailed = this.failed.size > this.knownFailures;
    // A tool call's scan may have failed, which a rule may take for a refusal.
    const isNew = hasFailed || this.hasToolNews || (this.hasNews && !this.watch.isFinal);
    if (!isNew && !always) return false;
    this.hasNews = false;
    this.hasToolNews = false;
    this.knownFailures = this.failed.size;
    const call = answerCall(this.input.dialect, [], []);
    await this.watch.update({ ...this.input.facts, call, structures: [] }, this.outcomes());
    this.blocked ||= this.watch.blocks;
    return true;
  }

  /** Everything that was found, texts and tool calls together. */
  private outcomes(): DetectorOutcome[] {
    return this.input.detectors.map(({ binding }): DetectorOutcome => {
      const { key, plugin, revision } = binding;
      const identity = { detector: key, plugin, revision };
      if (this.failed.has(key)) return { ...identity, status: 'failed', reason: 'failed' };
      const inTools = this.toolJudge.outcomeOf(key);
      if (inTools?.status === 'failed') return inTools;
      return {
        ...identity,
        status: 'scanned',
        findings: [...(this.found.get(key) ?? []), ...(inTools?.findings ?? [])],
      };
    });
  }

  /** Judges the tool calls that are complete now. */
  private async judgeTools(isComplete: (call: PlacedCall) => boolean): Promise<void> {
    const closed = this.toolTexts.filter((text) => text.closed).map(({ channel }) => channel);
    const isNew = await this.toolJudge.judge(closed, isComplete);
    this.hasToolNews ||= isNew;
    this.blocked ||= this.toolJudge.blocks;
  }

  private isComplete({ call, scope, channels }: PlacedCall): boolean {
    if (isBegun(scope.type)) return this.endedBlocks.has(blockKey(scope.type, scope.index));
    return !call.partial || channels.every((channel) => this.channels.get(channel)?.closed === true);
  }

  private settleAll(): void {
    for (const channel of this.undecided) this.settle(channel);
  }

  /** Finds out how much of a text is decided. */
  private settle(channel: GuardedChannel): void {
    if (channel.channel.role === 'tool_call') {
      if (channel.closed) this.settleTools();
      return;
    }
    let limit = channel.settledUpTo();
    for (const { detector, code, start } of channel.findings) {
      if (start < limit && this.watch.isOpen(detector, code)) limit = start;
    }
    const specs = this.watch.redact;
    const masked = channel.findings.filter((finding) => isMasked(finding, specs));
    const segments: Segment[] = [];
    segments[channel.index] = channel.segment;
    // A span is masked as one piece or waits.
    for (const span of mergeSpans(masked, segments)) if (span.start < limit && span.end > limit) limit = span.start;
    limit = channel.firstRestoredAcross(limit);
    const findings = masked.filter(({ start }) => start < limit);
    const { hash } = this.input;
    const edits =
      findings.length === 0
        ? []
        : planRedaction({ specs, findings, segments, numbering: this.numbering, ...(hash && { hash }) }).edits;
    channel.settle(limit, edits);
    if (channel.isDone) this.undecided.delete(channel);
  }

  /** Tool calls leave as wholes: when all is decided that was found in them. */
  private settleTools(): void {
    const { watch, numbering } = this;
    const edits = this.toolJudge.edits(watch, numbering);
    if (edits === undefined) return;
    for (const channel of this.undecided) {
      if (!this.toolJudge.hasJudged(channel.channel)) continue;
      channel.settle(channel.text.length, edits.get(channel.channel) ?? []);
      this.undecided.delete(channel);
    }
  }

  private release(): string {
    let text = '';
    while (!this.blocked && this.queue.length > 0) {
      const [first] = this.queue as [GuardedBlock];
      if (!first.isDecided || (first.waitsForEnd && !this.ended)) break;
      text += first.release();
      this.begun ||= first.hasText;
      this.queue.shift();
    }
    // What comes before all text waits for it: until then, a refusal can be an ordinary error answer.
    this.leading += text;
    if (!this.begun && !this.ended) return '';
    const leaving = this.leading;
    this.leading = '';
    return leaving;
  }
}

function isBegun(type: string): boolean {
  return type === 'content_block_start' || type.endsWith('.added');
}

function blockKey(type: string, index: number | undefined): string {
  return `${type.startsWith('content_block') ? 'content_block' : 'item'} ${index ?? ''}`;
}
