import type { DecodedCall, JsonValue, Segment, ToolCall } from '../model/call.js';
import { withFreeText } from '../model/free-text.js';
import { createRestorer, KnownTokens } from '../redaction/restore.js';
import { atOnce, type Steps } from '../steps/steps.js';

/** The number of characters that are searched for tokens between two stops; takes a few milliseconds at most. */
const UNITS_BETWEEN_STOPS = 8_192;
/** Minimum number of characters counted for a text, because even a short text takes some work. */
const LEAST_UNITS = 32;

/** The tool calls of one answer as the client receives them: tokens in their arguments are replaced by the values of the request. */
export class RestoredCalls {
  private readonly known = new Map<ToolCall, ToolCall>();
  private readonly tokens: KnownTokens;
  /** The number of characters since the last stop. */
  private units = 0;

  /** @param tokens from token to value */
  constructor(tokens: ReadonlyMap<string, string>) {
    this.tokens = new KnownTokens(tokens);
  }

  /** The answer with these tool calls, in steps; its texts are unchanged. */
  *restoring(call: DecodedCall): Steps<DecodedCall> {
    if (this.tokens.size === 0 || call.newToolCalls.length === 0) return call;
    const newToolCalls: ToolCall[] = [];
    for (const toolCall of call.newToolCalls) newToolCalls.push(yield* this.restoringCall(toolCall, call.segments));
    return { ...call, newToolCalls };
  }

  /** The restored form of one call: the same object each time. @param segments the texts of the answer */
  of(toolCall: ToolCall, segments: readonly Segment[]): ToolCall {
    return atOnce(this.restoringCall(toolCall, segments));
  }

  private *restoringCall(toolCall: ToolCall, segments: readonly Segment[]): Steps<ToolCall> {
    const { args } = toolCall;
    if (this.tokens.size === 0) return toolCall;
    // In signed content, nothing is restored.
    if (toolCall.segments.some((index) => segments[index]?.signed === true)) return toolCall;
    const known = this.known.get(toolCall);
    if (known !== undefined) return known;
    const restored =
      args === undefined
        ? yield* this.restoringText(withFreeText(toolCall, segments))
        : { ...toolCall, args: yield* this.value(args) };
    this.known.set(toolCall, restored);
    return restored;
  }

  private *restoringText(toolCall: ToolCall): Steps<ToolCall> {
    const { freeText } = toolCall;
    return freeText === undefined ? toolCall : { ...toolCall, freeText: yield* this.text(freeText) };
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
