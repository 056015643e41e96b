import type { FieldReaders } from '../call/call-collector.js';
import type { JsonValue, SegmentRole, ServiceTier, Usage } from '../model/call.js';
import type { DecisionAction, RedactionCount, Violation } from '../model/decision.js';
import type { ErrorDetail, ErrorType } from '../errors.js';
import type { JsonNode, ObjectNode } from '../json/json-node.js';
import type { TextEdit } from '../text/edit.js';
import type { CannedAnswer, CannedText } from './canned-answer.js';
import type { Steps } from '../steps/steps.js';
import type { StreamFamily } from './stream-family.js';

/** The properties of a route's calls that do not follow from their bodies. */
export interface RouteFacts {
  /** The route only counts tokens: it generates no text and is free of charge. */
  readonly countsOnly?: true;
  /** The route summarises a conversation for later requests: it accepts no output limit, and nobody is shown its answer. */
  readonly compacts?: true;
  /** The model, if it is named by the path instead of the body. */
  readonly model?: string;
  /** Answers are always streamed, regardless of the body. */
  readonly streams?: true;
  /** The reason for refusing a call: it asks for an answer format that Weir cannot read. */
  readonly refused?: string;
}

/** An object parsed from JSON. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** How the fields of a request or an answer are read. */
export interface RootReading {
  /** Undefined if the fields are unknown: every string then counts as text. */
  readonly fields: FieldReaders | undefined;
  /** The role of texts whose field defines no other. */
  readonly role: SegmentRole;
  /** Whether the tool calls are new and therefore judged, or part of the earlier conversation. */
  readonly calls: 'new' | 'past';
}

/** The parts of a stream event that show whether the answer is complete. */
export interface EndSign {
  /** The event's data; `root` is missing if it is not JSON. */
  readonly data: string;
  /** The event's type; empty if it has none. */
  readonly type: string;
  readonly root?: JsonNode;
}

/**
 * The properties of one kind of call: a route of a provider's API, or one of Weir's own events. They do not affect how calls are
 * judged, which is the same for all dialects.
 */
export interface ProviderDialect {
  /**
   * The route's properties if POST requests to a path use this dialect; otherwise undefined.
   *
   * @param route the path as a lenient server would read it, in lower case, without prefixes of vendors
   * @param written the original path with percent escapes decoded
   * @param query as sent, with its question mark; empty if there is none
   */
  readonly route: (route: string, written: string, query: string) => RouteFacts | undefined;
  /** Whether a request or answer with an unknown route has this dialect. */
  readonly recognises: (body: JsonRecord) => boolean;
  /** Wraps turns of a conversation into a request; undefined for turns of another dialect. */
  readonly requestOfTurns: ((turns: readonly JsonRecord[]) => object | undefined) | undefined;
  readonly request: RootReading;
  readonly answer: RootReading;
  /** The billed output: text, nothing (as with embeddings), or unknown. For text, the tokens of interrupted answers are estimated. */
  readonly writes: 'text' | 'nothing' | 'unknown';
  /** Number of answers that a request asks for. */
  readonly answers: (root: JsonNode) => number;
  /** The provider's maximum output tokens for a request without a limit; undefined if that depends on the model. */
  readonly ownOutputTokens: number | undefined;
  /** Paths of the members that limit a request's output tokens. */
  readonly outputLimits: readonly (readonly string[])[];
  /** Paths of the JSON Schema with which a request constrains its answer's text. */
  readonly outputSchemas: readonly (readonly string[])[];
  /**
   * The edit that adds an output limit to a request without one.
   *
   * @param isOwn whether the upstream is the provider that defined the dialect; others may support only older names
   * @returns undefined for an invalid value, which is left for the provider to refuse
   */
  readonly outputCap: ((root: ObjectNode, tokens: number, isOwn: boolean) => TextEdit | undefined) | undefined;
  /** Members that name the model. */
  readonly modelMembers: readonly string[];
  /** Converts a request's output schema to JSON Schema. Undefined if requests use JSON Schema itself. */
  readonly readingSchema: ((schema: JsonValue) => Steps<JsonValue>) | undefined;
  /** Whether the model reads input that is not in the request: data stored at the provider, or results of its hosted tools. */
  readonly refersToStored: (root: JsonNode) => boolean;
  /** The member with the id of the stored answer that a request continues; undefined if there is none. */
  readonly previousAnswer: string | undefined;
  /** Maximum number of billed searches that a request can cause. */
  readonly searches: (root: JsonNode) => number;
  /** The service tier that a request asks for; undefined for the standard tier. */
  readonly serviceTier: (root: JsonNode) => ServiceTier | undefined;
  /** How often the model reads the input of a request and writes an output of its own, at most. */
  readonly samplings: (root: JsonNode) => number;
  /** Whether the model answers after the call has ended: the call's own answer then reports no usage. */
  readonly answersLater: (root: JsonNode) => boolean;
  /** The error for a request whose answer could not be guarded; undefined for other requests. */
  readonly unguarded: ((root: JsonNode) => ErrorDetail | undefined) | undefined;
  /** For streams that can be sent as one JSON list: whether an item is an entry whose texts continue those of others. */
  readonly isListEntry: ((item: JsonNode) => boolean) | undefined;
  /** When answers report token counts. `asked`: streams only on request; `never`: counts are estimated. */
  readonly usage: 'always' | 'asked' | 'never';
  /**
   * Whether an event other than the last one (`isLast`) or an error shows that the answer is complete; undefined if streams have no
   * such event.
   */
  readonly isEnd: ((sign: EndSign) => boolean) | undefined;
  /** Builds an answer with a given text; undefined if answers contain no text or their format is unknown. */
  readonly canned: ((text: CannedText) => CannedAnswer) | undefined;
}

/** An error raised by Weir, with data about the call. */
export interface StyledError {
  readonly type: ErrorType;
  readonly message: string;
  /** HTTP status of the answer; a frame inside a started stream cannot change it. */
  readonly status: number;
  readonly requestId: string;
  /** The parameter to which the error refers, if any. */
  readonly param: string | null;
  readonly weir: WeirInfo;
}

/** The place of a frame with an error. */
export interface FramePlace {
  /** The path of the call below the provider's base URL, with the query. */
  readonly path: string;
  /** The number of the frame, for formats that number events: one more than that of the last event; 0 if there is none. */
  readonly number: number;
}

/** Weir's own part of a refusal, the same in every provider's error format. */
export interface WeirInfo {
  readonly code: ErrorType;
  readonly event_id?: string;
  readonly decision?: DecisionAction;
  readonly violations?: readonly Violation[];
  readonly redactions?: readonly RedactionCount[];
  readonly details?: readonly ErrorDetail[];
  /** An answer that the client can use in place of the provider's. */
  readonly answer?: { readonly content_type: string; readonly body: string };
}

/** The properties of all routes of one provider and of compatible services. */
export interface Provider {
  /** Display name. */
  readonly name: string;
  /** Name in OpenTelemetry's semantic conventions (`gen_ai.provider.name`). */
  readonly telemetryName: string;
  /** Default base URL of its API. */
  readonly baseUrl: string;
  /** Whether its official client prefixes each route with the version (`/v1`), regardless of the base URL. */
  readonly clientWritesVersion: boolean;
  /** An error as the provider would send it, so that its official client raises its own exception. */
  readonly error: (error: StyledError) => object;
  /** The error as a frame inside a started stream, on which the official client raises an exception. */
  readonly errorFrame: (error: StyledError, place: FramePlace) => string;
  /** The header in which its official client reads the id of a request; undefined for `x-request-id`, which every answer has. */
  readonly requestIdHeader: string | undefined;
  /**
   * Bytes without meaning that keep an idle stream alive; undefined for a client that does not ignore any.
   * @param header returns a header of the client's request, by its name in lower case
   */
  readonly keepAlive: (header: (name: string) => string | undefined) => string | undefined;
  /** Provider-specific headers of requests and answers, in lower case; a trailing `*` matches any suffix. */
  readonly headers: readonly string[];
  /** Headers whose values cannot contain free text, each with the pattern of its values. */
  readonly plainHeaders: readonly (readonly [string, RegExp])[];
  /** Query parameters that can contain a credential according to the provider's documentation, in lower case. */
  readonly credentialParameters: readonly string[];
  /** Its governed routes below the base URL, for the documentation. */
  readonly apiRoutes: readonly ApiRoute[];
  /** Members that name the model in an answer. */
  readonly modelMembers: readonly string[];
  /** Whether an event tells clients that the answer is complete. Weir holds the event back until the answer is in the log. */
  readonly isLast: (sign: EndSign) => boolean;
  /** Its tables of fields; the conformance matrix checks that each entry is read. */
  readonly fieldTables: readonly FieldReaders[];
  /** The families of events in which its answers are streamed. */
  readonly streams: readonly StreamFamily[];
  /** Root members of stream events that only this provider uses. */
  readonly streamFields: FieldReaders;
  /** The lists of a request that hold the conversation, each with a test whether an item is a user's message, which starts a turn. */
  readonly conversations: Readonly<Record<string, (item: JsonNode) => boolean>>;
  /** Whether an object is an image, for which a call's upper bound counts the maximum tokens of an image. */
  readonly isPicture: (node: ObjectNode) => boolean;
  /** Whether an object refers to a file outside the request. */
  readonly namesFile: (node: ObjectNode) => boolean;
  /** Members with token counts, at any depth. */
  readonly usageMembers: readonly string[];
  /** Reads the token counts of an answer, or of the object in a stream event that contains them. */
  readonly usage: (answer: JsonNode | undefined) => Usage | undefined;
}

/** A governed route in the OpenAPI document. */
export interface ApiRoute {
  readonly path: string;
  readonly summary: string;
}
