import type { DecodedCall, JsonValue, Segment, SegmentRole, ToolCall, ToolResult } from '../../core/model/call.js';
import type { Stage } from '../../core/model/fact.js';
import { parseAnnotations, type Annotation } from './annotations.js';
import type { TestCase } from './read-suite.js';
import type { TestMessage, TestToolCall } from './suite-schema.js';

/** The call of a test, in the format that the decoders return in the server. */
export interface TestCall {
  /** The judged request, answer, or tool call. */
  readonly call: DecodedCall;
  /** At stage `tool`: the conversation that led to the call. */
  readonly request?: DecodedCall;
  readonly toolCall?: ToolCall;
  /** Marks, by the text from which they were removed. */
  readonly annotations: ReadonlyMap<string, readonly Annotation[]>;
  /** Errors of annotations, with the path of the key in the test. */
  readonly errors: readonly { readonly at: readonly PropertyKey[]; readonly message: string }[];
}

/**
 * Builds the call of one test. `text` alone becomes the user's message (stages pre and tool) or the answer (stage post); `messages`
 * become a conversation; `tool`, `facts.tool` or the last entry of `facts.tool_calls` becomes the call that stage tool judges.
 */
export function buildCall(test: TestCase, stage: Stage): TestCall {
  const builder = new CallBuilder();
  const messages = test.messages ?? (test.text === undefined ? [] : [{ role: 'user' as const, content: test.text }]);
  if (stage !== 'tool') {
    const call = stage === 'post' ? builder.answer(messages, test) : builder.conversation(messages, test);
    return { call: withContents(call, test), annotations: builder.annotations, errors: builder.errors };
  }
  const request = builder.conversation(messages, test);
  const calls = toolCallsOf(test);
  const call = withContents(builder.toolCalls(calls, test), test);
  const judged = test.tool === undefined && singleTool(test) === undefined ? call.newToolCalls.length - 1 : 0;
  const toolCall = call.newToolCalls[judged];
  return {
    call,
    request,
    ...(toolCall === undefined ? {} : { toolCall }),
    annotations: builder.annotations,
    errors: builder.errors,
  };
}

/** Adds the unread content and media that the test declares. */
function withContents(call: DecodedCall, { contents }: TestCase): DecodedCall {
  if (contents === undefined) return call;
  const { governed = true, unread = [], media = [] } = contents;
  const placed = <One extends { path?: string | undefined; bytes?: number | undefined }>(one: One) => ({
    ...one,
    path: one.path ?? 'body',
    bytes: one.bytes ?? 0,
  });
  return { ...call, contents: { governed, unread: unread.map(placed), media: media.map(placed) } };
}

function toolCallsOf(test: TestCase): TestToolCall[] {
  if (test.tool !== undefined) return [test.tool];
  const single = singleTool(test);
  if (single !== undefined) return [single];
  const list = test.facts?.['tool_calls'];
  return Array.isArray(list) ? list.map(asToolCall).filter((call) => call !== undefined) : [];
}

function singleTool(test: TestCase): TestToolCall | undefined {
  return asToolCall(test.facts?.['tool']);
}

function asToolCall(value: unknown): TestToolCall | undefined {
  if (typeof value !== 'object' || value === null || !('name' in value) || typeof value.name !== 'string')
    return undefined;
  const args = 'args' in value ? (value.args as TestToolCall['args']) : undefined;
  return { name: value.name, ...(args === undefined ? {} : { args }) };
}

/** Collects segments and annotations; each call that it makes has its own segments. */
class CallBuilder {
  readonly annotations = new Map<string, Annotation[]>();
  readonly errors: { at: readonly PropertyKey[]; message: string }[] = [];
  private segments: Segment[] = [];

  conversation(messages: readonly TestMessage[], test: TestCase): DecodedCall {
    const calls: ToolCall[] = [];
    const results: ToolResult[] = [];
    messages.forEach((message, index) => {
      const path = `messages[${index}]`;
      const at = test.messages === undefined ? ['text'] : ['messages', index, 'content'];
      const first = this.segments.length;
      if (message.content !== undefined) {
        this.text(
          message.content,
          `${path}.content`,
          message.role === 'tool' ? 'tool_result' : message.role,
          at,
          'content',
        );
      }
      if (message.role === 'tool') {
        results.push({
          ...(message.call_id === undefined ? {} : { callId: message.call_id }),
          ...(message.name === undefined ? {} : { name: message.name }),
          path,
          segments: this.from(first),
        });
      }
      message.tool_calls?.forEach((call, position) => {
        calls.push(
          this.toolCall(call, `${path}.tool_calls[${position}]`, ['messages', index, 'tool_calls', position, 'args']),
        );
      });
    });
    this.unmaskable(test, 'user');
    return this.finish(test, 'weir.ai_request', { pastToolCalls: calls, pastToolResults: results });
  }

  answer(messages: readonly TestMessage[], test: TestCase): DecodedCall {
    const calls: ToolCall[] = [];
    messages.forEach((message, index) => {
      const path = messages.length === 1 ? 'output' : `output[${index}]`;
      const at = test.messages === undefined ? ['text'] : ['messages', index, 'content'];
      if (message.content !== undefined) this.text(message.content, path, 'assistant', at);
      message.tool_calls?.forEach((call, position) => {
        calls.push(
          this.toolCall(call, `${path}.tool_calls[${position}]`, ['messages', index, 'tool_calls', position, 'args']),
        );
      });
    });
    this.unmaskable(test, 'assistant');
    return this.finish(test, 'weir.ai_response', { newToolCalls: calls });
  }

  toolCalls(calls: readonly TestToolCall[], test: TestCase): DecodedCall {
    const made = calls.map((call, index) =>
      this.toolCall(
        call,
        calls.length === 1 ? 'tool' : `tool_calls[${index}]`,
        test.tool === undefined ? ['facts'] : ['tool', 'args'],
      ),
    );
    return this.finish(test, 'weir.tool_call', { newToolCalls: made });
  }

  /** Adds segments that cannot be masked, as the server makes them from files and signed blocks. */
  private unmaskable({ contents = {} }: TestCase, role: SegmentRole): void {
    const { documents = [], signed = [] } = contents;
    documents.forEach(({ text, path }, index) => {
      this.text(text, path ?? `documents[${index}]`, role, ['contents', 'documents', index, 'text']);
      this.last({ ref: -1, fixed: true, document: true });
    });
    signed.forEach(({ text, path }, index) => {
      this.text(text, path ?? `signed[${index}]`, 'assistant', ['contents', 'signed', index, 'text']);
      this.last({ signed: true });
    });
  }

  private last(change: Partial<Segment>): void {
    this.segments.push({ ...this.segments.pop()!, ...change });
  }

  private finish(test: TestCase, dialect: DecodedCall['dialect'], parts: Partial<DecodedCall>): DecodedCall {
    const { segments } = this;
    this.segments = [];
    const model = test.model === undefined ? {} : { model: test.model.name };
    return {
      dialect,
      segments,
      declaredTools: [],
      newToolCalls: [],
      pastToolCalls: [],
      pastToolResults: [],
      stream: false,
      ...model,
      ...parts,
    };
  }

  private toolCall(call: TestToolCall, path: string, at: readonly PropertyKey[]): ToolCall {
    const first = this.segments.length;
    this.text(call.name, `${path}.name`, 'tool_call', at);
    const args = call.args === undefined ? undefined : this.strings(call.args, `${path}.args`, at);
    return {
      ...(call.id === undefined ? {} : { id: call.id }),
      name: call.name,
      args,
      path,
      segments: this.from(first),
    };
  }

  /** Creates a segment of every string of a value. Returns the value without annotations. */
  private strings(value: JsonValue, path: string, at: readonly PropertyKey[], key?: string): JsonValue {
    if (typeof value === 'string') return this.text(value, path, 'tool_call', at, key);
    if (Array.isArray(value))
      return value.map((item: JsonValue, index) => this.strings(item, `${path}[${index}]`, at, key));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]: [string, JsonValue]) => [
          name,
          this.strings(inner, `${path}.${name}`, at, name),
        ]),
      );
    }
    return value;
  }

  private text(source: string, path: string, role: SegmentRole, at: readonly PropertyKey[], key?: string): string {
    const { text, annotations, error } = parseAnnotations(source);
    if (error !== undefined) this.errors.push({ at, message: error });
    const known = this.annotations.get(text);
    if (known === undefined) this.annotations.set(text, [...annotations]);
    else known.push(...annotations.filter((one) => !known.some((other) => same(one, other))));
    this.segments.push({ path, role, text, ref: this.segments.length, ...(key === undefined ? {} : { key }) });
    return text;
  }

  private from(first: number): number[] {
    return Array.from({ length: this.segments.length - first }, (_, index) => first + index);
  }
}

function same(a: Annotation, b: Annotation): boolean {
  return a.code === b.code && a.detector === b.detector && a.start === b.start && a.end === b.end;
}
