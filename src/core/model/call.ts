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

/** One text of a call. `ref` identifies its bytes; `path` is shown to people. */
export interface Segment {
  /** JSON path from the payload's (REST) or body's (proxy) root, such as `messages[2].content`. */
  readonly path: string;
  readonly role: SegmentRole;
  readonly text: string;
  /** Nearest object key, as context for detectors. */
  readonly key?: string;
  /** A provider has signed the text: it is forwarded unchanged, or not at all. */
  readonly signed?: true;
  /** Places where the text may end and another one begin: each part is also read separately. Ascending. */
  readonly cuts?: readonly number[];
  /** Places at which something that is not text came between: the parts between two of them are also read as one text. Ascending. */
  readonly breaks?: readonly number[];
  /** Identifies the string in its document; opaque outside `core/json`. Below 0: the text is in no document. */
  readonly ref: number;
  /**
   * The text cannot be changed in its place: a query string, a header, the text of a document. A call that needs a redaction in such a
   * text is refused.
   */
  readonly fixed?: true;
  /** The text is in a document that cannot be rewritten. */
  readonly document?: true;
  /**
   * If this is another reading of a text, such as a page as it is displayed: the text itself, such as the page's source, which is also
   * judged.
   */
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
  /** The texts of arguments that are not valid JSON, as the tool receives them; absent until `withFreeText` adds it. */
  readonly freeText?: string;
  readonly path: string;
  /** Indices into `segments` of the texts that make up the name and the arguments. */
  readonly segments: readonly number[];
  /** Indices of texts with which a stream repeats texts of the call: they are masked like these, but judged only once. */
  readonly repeats?: readonly number[];
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
  /** The JSON Schema of the arguments, if the request declares one. It is written by the caller and must not be trusted. */
  readonly schema?: JsonValue;
}

/** Base64 or hexadecimal digits in a document that encode an image, audio or another file. */
export interface EmbeddedBytes {
  readonly path: string;
  readonly role: SegmentRole;
  /** The `ref` of the string in the document, or of the numbers that the bytes are written as (see `JsonDocument.fileOfNumbers`). */
  readonly ref: number;
  /** Half-open range of the base64 in the string. */
  readonly start: number;
  readonly end: number;
  /** The range contains hexadecimal digits, numbers separated by commas, or the escapes of a URL instead of base64. */
  readonly hex?: true;
  /** The base64 is not declared to be a file: bytes of no known format may be a key, a hash or a word. */
  readonly unsaid?: true;
  /** The bytes are also a text of the body that is judged and masked in place. */
  readonly judged?: true;
  /** The declared character encoding of the bytes. */
  readonly charset?: string;
}

/** Reasons why the content of some bytes is unknown. `outage`: their reader did not finish. */
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

/** The parts of a call that are not text, according to their bytes. */
export interface CallContents {
  /** Whether a model reads prompts from the call: it uses a governed route, or is an upload that a model will read. */
  readonly governed: boolean;
  /** Bytes that could be neither recognised nor read. */
  readonly unread: readonly { readonly path: string; readonly why: UnreadReason; readonly bytes: number }[];
  /** Images, audio and video: recognised, but their content is not read. */
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
  /** The JSON Schema that a request asks the answer's text to follow. It is written by the caller and must not be trusted. */
  readonly outputSchema?: JsonValue;
  /** Base64 in known places whose bytes the decoder did not read. */
  readonly embedded?: readonly EmbeddedBytes[];
  /** Absent if all of the call is text. */
  readonly contents?: CallContents;
  readonly model?: string;
  readonly maxTokens?: number;
  readonly stream: boolean;
  readonly usage?: Usage;
  /** For a request that continues from an answer that its provider has stored: the id of that answer. */
  readonly previousAnswer?: string;
  /** The id of an answer, if a later request may continue from it. */
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

/**
 * Ways of serving a call that have other prices than the standard ones. `scale`: throughput bought in advance; `fast`: Anthropic's fast
 * mode; `us`: inference in that region only; `other`: a tier unknown to Weir, or several of these at once.
 */
export const SERVICE_TIERS = ['batch', 'fast', 'flex', 'priority', 'scale', 'us', 'other'] as const;
export type ServiceTier = (typeof SERVICE_TIERS)[number];

/** Billed usage other than plain tokens; a member is present only if there was such usage. */
export interface OtherUsage {
  /** Absent for the standard tier. */
  readonly serviceTier?: ServiceTier;
  /** Audio tokens, which are included in `promptTokens` and `completionTokens`. */
  readonly audioInputTokens?: number;
  readonly audioOutputTokens?: number;
  /** Runs of the provider's own tools, each with a fee. */
  readonly webSearches?: number;
  readonly fileSearches?: number;
  /** The answer does not report the fee of some work: code that was run, images that were generated. */
  readonly unknownFees?: true;
}

/** Token counts as the provider reported them, integers. `promptTokens` counts all input, cached parts included. */
export interface Usage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** The part of `cacheWriteTokens` that is kept for an hour and costs more. */
  readonly cacheWrite1hTokens?: number;
  readonly reasoningTokens?: number;
  readonly other?: OtherUsage;
  /** The counts are Weir's own estimate, because the provider's report did not arrive. */
  readonly estimated?: true;
}
