import { ARGUMENTS_IN_STREAMS } from '../call/tool-readers.js';
import { append } from '../steps/steps.js';
import type { FindingTallies } from '../facts/finding-tally.js';
import type { Numbering } from '../redaction/numbering.js';
import type { Channel } from './channels.js';
import type { GuardInput } from './guard-input.js';
import { hintOf, type GuardedChannel } from './guarded-channel.js';
import type { Masks } from './rule-watch.js';
import { StreamedArguments, type MaskingRules } from './streamed-arguments.js';
import type { StreamEvent } from './stream-event.js';
import { callKeyOf } from './stream-tool-calls.js';
import type { KnownTokens } from '../redaction/restore.js';
import { TextRestore, type StreamDetectors } from './text-scan.js';

/** A text in an object or list of arguments, by its path in its call. */
const IN_ARGUMENTS = new RegExp(`\\.(?:${[...ARGUMENTS_IN_STREAMS].join('|')})[.[{]`, 'i');
const CHOICE = /^choices\[\d+\]/;
const SPACE = /^[ \t\r\n]*$/;
/** A name in pieces is checked again with each piece; a text of this length is checked only once. */
const LONGEST_NAME = 256;

interface Call {
  readonly texts: Set<GuardedChannel>;
  readonly streamed: Map<GuardedChannel, StreamedArguments>;
  hasBegun: boolean;
}

/**
 * Determines which part of a stream's tool calls may be forwarded before they are judged: all but the end of their arguments. A call's name
 * and its other texts are forwarded when its arguments begin, if no rule would change them in their form at that time.
 */
export class ToolRelease {
  private readonly calls = new Map<string, Call>();
  /** Calls that another call of the same choice has followed. */
  private readonly followed = new Set<string>();
  /** Calls with new pieces since their last check. */
  private unsure = new Set<string>();
  private readonly latest = new Map<string, ReadonlySet<string>>();
  /** Texts that are complete because another call has followed: only white space may still arrive. */
  private readonly superseded = new Set<GuardedChannel>();
  private grown = new Set<StreamedArguments>();
  private begun = new Set<string>();
  /** The arguments of incomplete calls in which something was found, and the number of their findings that are counted. */
  private readonly counted = new Map<StreamedArguments, number>();
  /** The length of each text when its name was last found not to be harmless. */
  private readonly harmful = new Map<GuardedChannel, number>();
  private readonly detectors: StreamDetectors;
  private readonly isStreaming: boolean;

  constructor(
    private readonly input: Pick<GuardInput, 'plan' | 'detectors'>,
    private readonly tokens: KnownTokens,
    private readonly tallies: FindingTallies,
  ) {
    const { codes, tools } = input.plan;
    this.isStreaming = tools.mode === 'stream';
    this.detectors = input.detectors.flatMap((detector) => {
      const { key } = detector.binding;
      const wanted = new Set([...(codes.get(key) ?? []), ...(tools.masked.get(key) ?? [])]);
      return wanted.size === 0 ? [] : [{ detector, codes: wanted }];
    });
  }

  /** Called when a text of a tool call has grown. @returns the texts that can be forwarded sooner because of it */
  add(guarded: GuardedChannel, text: string): Iterable<GuardedChannel> {
    const key = callKeyOf(guarded.channel.path);
    if (!this.isStreaming || key === undefined || guarded.channel.whole || guarded.closed) return [];
    const call = this.callOf(key);
    call.texts.add(guarded);
    let streamed = call.streamed.get(guarded);
    if (text === '' || (streamed === undefined && !isArguments(guarded.channel, key))) return [];
    if (streamed === undefined) {
      streamed = new StreamedArguments(guarded, this.detectors, this.tokens);
      call.streamed.set(guarded, streamed);
    }
    streamed.add(text);
    this.grown.add(streamed);
    this.unsure.add(key);
    if (call.hasBegun) return [];
    call.hasBegun = true;
    this.begun.add(key);
    return call.texts;
  }

  /** Called for an event with calls or pieces of calls, which show that earlier calls of the same choice are complete. */
  saw({ calls, scope }: StreamEvent): void {
    if (!this.isStreaming || !scope.family.callsFollow || calls.length === 0) return;
    const keys = calls.flatMap(({ channels }) => channels.flatMap(({ path }) => callKeyOf(path) ?? []));
    const byChoice = new Map<string, Set<string>>();
    for (const key of keys) {
      const choice = choiceOf(key);
      const known = byChoice.get(choice);
      if (known === undefined) byChoice.set(choice, new Set([key]));
      else known.add(key);
    }
    for (const [choice, own] of byChoice) {
      for (const key of this.latest.get(choice) ?? []) {
        this.followed.add(key);
        this.unsure.add(key);
      }
      for (const key of own) this.followed.delete(key);
      this.latest.set(choice, own);
    }
  }

  /** Reads the added text. @returns whether there are new findings */
  read(): boolean {
    let hasNews = false;
    for (const streamed of this.grown) {
      if (!streamed.read()) continue;
      hasNews = true;
      this.count(streamed);
    }
    this.grown = new Set();
    return hasNews;
  }

  /** Returns the texts of calls that are implicitly complete because another call has followed. */
  takeComplete(): GuardedChannel[] {
    const complete: GuardedChannel[] = [];
    const unsure = this.unsure;
    this.unsure = new Set();
    for (const key of unsure) {
      if (!this.followed.has(key)) continue;
      const call = this.calls.get(key);
      const all = [...(call?.streamed.values() ?? [])];
      if (call === undefined || all.length === 0 || !all.every(({ isClosed }) => isClosed)) continue;
      this.followed.delete(key);
      append(complete, call.texts);
      for (const channel of call.streamed.keys()) this.superseded.add(channel);
    }
    return complete;
  }

  /** Whether `text` may continue a complete text: only white space may. */
  mayFollow(guarded: GuardedChannel, text: string): boolean {
    return this.superseded.has(guarded) && SPACE.test(text);
  }

  /** Returns the calls whose arguments have begun, each once: their names are known. */
  takeBegun(): ReadonlySet<string> {
    const { begun } = this;
    this.begun = new Set();
    return begun;
  }

  /** Called when the text is complete: from now on the verdict on the call decides about it. */
  close(guarded: GuardedChannel, numbering: Numbering): void {
    const call = this.calls.get(callKeyOf(guarded.channel.path) ?? '');
    const streamed = call?.streamed.get(guarded);
    if (streamed !== undefined) {
      this.grown.delete(streamed);
      this.uncount(streamed);
    }
    this.harmful.delete(guarded);
    streamed?.close(numbering);
    call?.streamed.delete(guarded);
    call?.texts.delete(guarded);
  }

  /** Counts new findings in an incomplete call. */
  private count(streamed: StreamedArguments): void {
    const { findings } = streamed;
    for (const finding of findings.slice(this.counted.get(streamed) ?? 0)) this.tallies.add(finding);
    this.counted.set(streamed, findings.length);
  }

  /** Called when the call is complete: then it is scanned as a whole, which may find more. */
  private uncount(streamed: StreamedArguments): void {
    const count = this.counted.get(streamed) ?? 0;
    for (const finding of streamed.findings.slice(0, count)) this.tallies.remove(finding);
    this.counted.delete(streamed);
  }

  /** How far a text is decided before its call is complete; undefined while that is unknown. */
  settle(guarded: GuardedChannel, rules: Omit<MaskingRules, 'waiting'>): Masks | undefined {
    const call = this.calls.get(callKeyOf(guarded.channel.path) ?? '');
    if (call?.texts.has(guarded) !== true) return undefined;
    const streamed = call.streamed.get(guarded);
    if (streamed !== undefined) return streamed.settle({ ...rules, waiting: this.input.plan.tools.masked });
    if (!call.hasBegun || guarded.limit >= guarded.length) return undefined;
    if (isInArguments(guarded.channel) || this.isKnownAsHarmful(guarded)) return undefined;
    if (!this.isHarmless(guarded)) {
      this.harmful.set(guarded, guarded.length);
      return undefined;
    }
    return { limit: guarded.length, edits: [] };
  }

  /** Whether the text was checked, and is not checked again: since then it has not grown, or it is too long for a check with each piece. */
  private isKnownAsHarmful(guarded: GuardedChannel): boolean {
    const length = this.harmful.get(guarded);
    return length !== undefined && (length === guarded.length || length > LONGEST_NAME);
  }

  /** Whether the text would be forwarded unchanged if it ended here. */
  private isHarmless(guarded: GuardedChannel): boolean {
    if (guarded.limit > 0 && guarded.length > LONGEST_NAME) return false;
    const { text, cuts = [] } = guarded.channel;
    const texts = [
      text,
      ...(cuts.length === 0 ? [] : [0, ...cuts].map((from, index) => text.slice(from, cuts[index]))),
    ];
    if (/^\s*[{[]/.test(text)) return false;
    if (new TextRestore(this.tokens, 'call').push(text, true).length > 0) return false;
    try {
      return this.detectors.every(({ detector, codes }) =>
        texts.every((each) => detector.scan(each, hintOf(guarded.channel)).every(({ code }) => !codes.has(code))),
      );
    } catch {
      // The error's message may quote the text, so it is discarded. The verdict names the failed detector.
      return false;
    }
  }

  private callOf(key: string): Call {
    const known = this.calls.get(key);
    if (known !== undefined) return known;
    const call = { texts: new Set<GuardedChannel>(), streamed: new Map(), hasBegun: false };
    this.calls.set(key, call);
    return call;
  }
}

/** Whether a text is arguments that grow. @param callKey the call's key, as returned by `callKeyOf` */
function isArguments({ key = '', path }: Channel, callKey: string): boolean {
  return ARGUMENTS_IN_STREAMS.has(key.toLowerCase()) && !IN_ARGUMENTS.test(path.slice(callKey.length));
}

/** Whether a text is a value in complete arguments: it is not forwarded before its call is judged. */
function isInArguments({ path }: Channel): boolean {
  return IN_ARGUMENTS.test(path.slice((callKeyOf(path) ?? '').length));
}

function choiceOf(key: string): string {
  return CHOICE.exec(key)?.[0] ?? '';
}
