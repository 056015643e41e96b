import type { DecodedCall, JsonValue, Segment, ToolCall } from '../model/call.js';
import { TokenScanner } from '../redaction/restore.js';
import { applyEdits } from '../text/edit.js';

const MAY_BE_JSON = /^\s*[{[]/;

/** The tool calls of one answer as the client receives them: tokens in their arguments are replaced by the values of the request. */
export class RestoredCalls {
  private readonly known = new Map<ToolCall, ToolCall>();
  private readonly scanner: TokenScanner;

  /** @param tokens from token to value */
  constructor(private readonly tokens: ReadonlyMap<string, string>) {
    this.scanner = new TokenScanner(tokens, 'text');
  }

  /** The answer with these tool calls; its texts are unchanged. */
  in(call: DecodedCall): DecodedCall {
    if (this.tokens.size === 0 || call.newToolCalls.length === 0) return call;
    return { ...call, newToolCalls: call.newToolCalls.map((each) => this.of(each, call.segments)) };
  }

  /** The same object for each request about one call. @param segments the texts of the answer */
  of(toolCall: ToolCall, segments: readonly Segment[]): ToolCall {
    const { args } = toolCall;
    if (this.tokens.size === 0 || args === undefined) return toolCall;
    // In signed content, nothing is restored.
    if (toolCall.segments.some((index) => segments[index]?.signed === true)) return toolCall;
    const known = this.known.get(toolCall) ?? { ...toolCall, args: this.value(args) };
    this.known.set(toolCall, known);
    return known;
  }

  private value(value: JsonValue): JsonValue {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (isList(value)) return value.map((item) => this.value(item));
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.text(key), this.value(item)]));
  }

  private text(text: string): string {
    // In JSON inside a string, tokens may be escaped.
    const scanner = MAY_BE_JSON.test(text) ? new TokenScanner(this.tokens, 'answer') : this.scanner;
    return applyEdits(text, scanner.scan(text, true).edits);
  }
}

function isList(value: JsonValue & object): value is readonly JsonValue[] {
  return Array.isArray(value);
}
