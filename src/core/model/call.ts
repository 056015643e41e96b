/**
 * Weir's view of a call, for every entry point: every text with its position, and the tool calls. Created by the decoders, read by
 * detectors, rules and redaction.
 */
export type Dialect =
  | 'openai.chat'
  | 'openai.completions'
  | 'openai.responses'
  | 'openai.embeddings'
  | 'anthropic.messages'
  | 'gemini.generate'
  | 'gemini.embed'
  | 'weir.ai_request'
  | 'weir.ai_response'
  | 'weir.ai_error'
  | 'weir.tool_call'
  /** Unknown JSON: every string leaf is text. */
  | 'generic';

export type SegmentRole =
  | 'system'
  | 'user'
  | 'assistant'
  | 'reasoning'
  | 'tool_declaration'
  | 'tool_call'
  | 'tool_result'
  | 'metadata'
  | 'error'
  | 'other';

/** One text of a call. `ref` finds its bytes again; `path` is what a person is shown. */
export interface Segment {
  /** JSON path from the payload's (REST) or body's (proxy) root, such as `messages[2].content`. */
  readonly path: string;
  readonly role: SegmentRole;
  readonly text: string;
  /** Nearest object key, as context for detectors. */
  readonly key?: string;
  /** A provider has signed it: it goes on as it is, or not at all. */
  readonly signed?: true;
  /** Places where the text may end and another one begin: each part is also read by itself. Ascending. */
  readonly cuts?: readonly number[];
  /** Identifies the string in the document it came from; opaque outside `core/json`. Below 0: it stands in none. */
  readonly ref: number;
  /**
   * It cannot be changed where it stands: a query string, a header, the text of a document. A redaction that would have
   * to change it refuses the call.
   */
  readonly fixed?: true;
  /** It is what a document says that cannot be written anew. */
  readonly document?: true;
  /** The text that this is another reading of, such as the source of a page that is read as it is shown: it is also judged. */
  readonly rereads?: string;
}

/** Any JSON value, read only. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** One call of a tool that a model asks for. */
export interface ToolCall {
  readonly id?: string;
  readonly name: string;
  /** Parsed arguments; `undefined` when they are not valid JSON. */
  readonly args: JsonValue | undefined;
  readonly path: string;
  /** Indices into `segments` of the texts that make up the name and the arguments. */
  readonly segments: readonly number[];
}

export interface ToolResult {
  readonly callId?: string;
  readonly name?: string;
  readonly path: string;
  readonly segments: readonly number[];
}

export interface DeclaredTool {
  readonly name: string;
  readonly path: string;
  /** The JSON Schema of its arguments, when the request declares one. Written by the caller: not to be trusted. */
  readonly schema?: JsonValue;
}

/** Base64, or hexadecimal digits, in a document that is no text by itself: a picture, a recording, a file. */
export interface EmbeddedBytes {
  readonly path: string;
  readonly role: SegmentRole;
  /** Of the string in the document. */
  readonly ref: number;
  /** Half-open range of the base64 in it. */
  readonly start: number;
  readonly end: number;
  /** Hexadecimal digits stand there instead. */
  readonly hex?: true;
  /** Nobody says that it is a file: bytes that are nothing that is known may be a key, a hash or a word. */
  readonly unsaid?: true;
}

/** Why nobody here can say what some bytes hold. `outage`: whoever was to read them did not come to an end. */
export const UNREAD_REASONS = [
  'binary',
  'document',
  'archive',
  'ambiguous',
  'encrypted',
  'malformed',
  'limit',
  'outage',
] as const;
export type UnreadReason = (typeof UNREAD_REASONS)[number];

/** What of a call is no text, as its bytes tell. */
export interface CallContents {
  /** It goes where prompts are read from: a governed route, or an upload that a model will read. */
  readonly governed: boolean;
  /** What could be neither recognised nor read. */
  readonly unread: readonly { readonly path: string; readonly why: UnreadReason; readonly bytes: number }[];
  /** Images, audio and video: recognised, and not looked into. */
  readonly media: readonly { readonly path: string; readonly type: string; readonly bytes: number }[];
}

/** A request or an answer as its decoder read it. */
export interface DecodedCall {
  readonly dialect: Dialect;
  readonly segments: readonly Segment[];
  readonly declaredTools: readonly DeclaredTool[];
  /** Calls to be judged at stage `tool`: those of an answer, or the one of an `agent.tool_call`. Empty for a request. */
  readonly newToolCalls: readonly ToolCall[];
  /** Calls and results of the conversation so far: facts for `flow`, text for `pre`, never judged again. */
  readonly pastToolCalls: readonly ToolCall[];
  readonly pastToolResults: readonly ToolResult[];
  /** The JSON Schema that a request asks the answer's text to follow. Written by the caller: not to be trusted. */
  readonly outputSchema?: JsonValue;
  /** Base64 in known places whose bytes the decoder did not read. */
  readonly embedded?: readonly EmbeddedBytes[];
  /** Absent when all of it is text. */
  readonly contents?: CallContents;
  readonly model?: string;
  readonly maxTokens?: number;
  readonly stream: boolean;
  readonly usage?: Usage;
  /** Of a request that goes on from an answer which its provider has stored: the id of that answer. */
  readonly previousAnswer?: string;
  /** The id of an answer, where a later request may go on from it. */
  readonly answerId?: string;
}

/** A call without any text. */
export const NO_TEXTS: DecodedCall = {
  dialect: 'generic',
  segments: [],
  declaredTools: [],
  newToolCalls: [],
  pastToolCalls: [],
  pastToolResults: [],
  stream: false,
};

/** Of providers that sell calls at other prices than the standard ones. `other`: one that is not known here. */
export const SERVICE_TIERS = ['batch', 'flex', 'priority', 'scale', 'other'] as const;
export type ServiceTier = (typeof SERVICE_TIERS)[number];

/** What a call is billed for beside plain tokens; a member is there only where there was some of it. */
export interface OtherUsage {
  /** Absent for the standard tier. */
  readonly serviceTier?: ServiceTier;
  /** Sound among `promptTokens` and `completionTokens`. */
  readonly audioInputTokens?: number;
  readonly audioOutputTokens?: number;
  /** Runs of the provider's own tools, each with a fee. */
  readonly webSearches?: number;
  readonly fileSearches?: number;
  /** There was work whose fee the answer does not tell: code that was run, pictures that were made. */
  readonly unknownFees?: true;
}

/** Token counts as the provider reported them, integers. `promptTokens` counts all input, cached parts included. */
export interface Usage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** Those of `cacheWriteTokens` that are kept for an hour, and cost more. */
  readonly cacheWrite1hTokens?: number;
  readonly reasoningTokens?: number;
  readonly other?: OtherUsage;
  /** The counts are Weir's own estimate, because the provider did not come to report them. */
  readonly estimated?: true;
}
