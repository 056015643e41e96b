import type { DecodedCall, JsonValue, Segment, ToolCall } from '../model/call.js';
import { withFreeText } from '../model/free-text.js';
import { createRestorer, KnownTokens } from '../redaction/restore.js';
import { atOnce, isStop, type Steps } from '../steps/steps.js';

/** The number of characters that are searched for tokens between two stops; takes a few milliseconds at most. */
const UNITS_BETWEEN_STOPS = 8_192;
/** Minimum number of characters counted for a text, because even a short text takes some work. */
const LEAST_UNITS = 32;

/** A list of places, and what is known about its texts. */
interface KnownTexts {
  readonly of: ToolCall['segments'];
  readonly areSigned: boolean;
  /** The restored text of a call whose arguments are not JSON, once it is known. */
  freeText?: string;
}

/**
 * The tool calls of one answer as the client receives them: tokens in their arguments are replaced by the values of the request. A call under
 * several names, and the calls within a call, share arguments or texts, which are restored only once.
 */
export class RestoredCalls {
  private readonly known = new Map<ToolCall, ToolCall>();
  private readonly values = new Map<object, JsonValue>();
  private readonly tokens: KnownTokens;
  /** The number of characters since the last stop. */
  private units = 0;
  /** The last list of calls, and the same calls restored. */
  private last: { readonly of: readonly ToolCall[]; readonly restored: readonly ToolCall[] } | undefined;
  private texts: KnownTexts | undefined;

  /** @param tokens from token to value */
  constructor(tokens: ReadonlyMap<string, string>) {
    this.tokens = new KnownTokens(tokens);
  }

  /** The answer with these tool calls, in steps; its texts are unchanged. */
  *restoring(call: DecodedCall): Steps<DecodedCall> {
    if (this.tokens.size === 0 || call.newToolCalls.length === 0) return call;
    if (this.last?.of !== call.newToolCalls) {
      const restored: ToolCall[] = [];
      for (const [index, toolCall] of call.newToolCalls.entries()) {
        restored.push(yield* this.restoringCall(toolCall, call.segments));
        if (isStop(index)) yield;
      }
      this.last = { of: call.newToolCalls, restored };
    }
    return { ...call, newToolCalls: this.last.restored };
  }

  /** The restored form of one call: the same object each time. @param segments the texts of the answer */
  of(toolCall: ToolCall, segments: readonly Segment[]): ToolCall {
    return atOnce(this.restoringCall(toolCall, segments));
  }

  private *restoringCall(toolCall: ToolCall, segments: readonly Segment[]): Steps<ToolCall> {
    const { args } = toolCall;
    if (this.tokens.size === 0) return toolCall;
    const texts = this.textsOf(toolCall, segments);
    // In signed content, nothing is restored.
    if (texts.areSigned) return toolCall;
    const known = this.known.get(toolCall);
    if (known !== undefined) return known;
    const restored =
      args === undefined
        ? yield* this.restoringText(toolCall, segments, texts)
        : { ...toolCall, args: yield* this.restoringValue(args) };
    this.known.set(toolCall, restored);
    return restored;
  }

  private textsOf({ segments: own }: ToolCall, segments: readonly Segment[]): KnownTexts {
    if (this.texts?.of !== own)
      this.texts = { of: own, areSigned: own.some((index) => segments[index]?.signed === true) };
    return this.texts;
  }

  private *restoringText(toolCall: ToolCall, segments: readonly Segment[], texts: KnownTexts): Steps<ToolCall> {
    const isShared = toolCall.freeText === undefined;
    if (isShared && texts.freeText !== undefined) return { ...toolCall, freeText: texts.freeText };
    const { freeText } = withFreeText(toolCall, segments);
    if (freeText === undefined) return toolCall;
    const restored = yield* this.text(freeText);
    if (isShared) texts.freeText = restored;
    return { ...toolCall, freeText: restored };
  }

  private *restoringValue(args: JsonValue): Steps<JsonValue> {
    if (typeof args !== 'object' || args === null) return yield* this.value(args);
    const known = this.values.get(args);
    if (known !== undefined) return known;
    const restored = yield* this.value(args);
    this.values.set(args, restored);
    return restored;
  }

  private *value(value: JsonValue): Steps<JsonValue> {
    if (typeof value === 'string') return yield* this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (isList(value)) {
      const items: JsonValue[] = [];
      for (const item of value) items.push(yield* this.value(item));
      return items;
    }
    const members: [string, JsonValue][] = [];
    for (const [key, item] of Object.entries(value)) members.push([yield* this.text(key), yield* this.value(item)]);
    return Object.fromEntries(members);
  }

  /** In JSON inside a string, tokens may be escaped. */
  private *text(text: string): Steps<string> {
    const restorer = createRestorer(this.tokens, 'answer');
    const parts: string[] = [];
    for (let from = 0; from < text.length; from += UNITS_BETWEEN_STOPS) {
      const piece = text.slice(from, from + UNITS_BETWEEN_STOPS);
      // However the text is split, the output is the same.
      parts.push(restorer.push(piece));
      this.units += Math.max(piece.length, LEAST_UNITS);
      if (this.units < UNITS_BETWEEN_STOPS) continue;
      this.units = 0;
      yield;
    }
    return parts.join('') + restorer.end();
  }
}

function isList(value: JsonValue & object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
