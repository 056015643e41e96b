import type { FieldReaders } from '../call/call-collector.js';
import type { JsonValue, SegmentRole, Usage } from '../model/call.js';
import type { DecisionAction, RedactionCount, Violation } from '../model/decision.js';
import type { ErrorDetail, ErrorType } from '../errors.js';
import type { JsonNode, ObjectNode } from '../json/json-node.js';
import type { TextEdit } from '../text/edit.js';
import type { CannedAnswer, CannedText } from './canned-answer.js';
import type { Steps } from '../steps/steps.js';
import type { StreamFamily } from './stream-family.js';

/** The properties of a route's calls that do not follow from their bodies. */
export interface RouteFacts {
  /** It counts tokens: nothing is written, and nobody asks money for it. */
  readonly countsOnly?: true;
  /** The model, where the path names it and not the body. */
  readonly model?: string;
  /** Its answers come in pieces, whatever the body says. */
  readonly streams?: true;
  /** Why calls that ask for their answer in such a form cannot go on: nobody here could say what is in it. */
  readonly refused?: string;
}

/** An object in JSON, as JavaScript reads it. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** What the fields of a request or an answer hold. */
export interface RootReading {
  /** Undefined where nothing is known about them: every string is a text. */
  readonly fields: FieldReaders | undefined;
  /** Of texts whose field says nothing else. */
  readonly role: SegmentRole;
  /** Whether tool calls in it are new ones, to be judged, or belong to the conversation so far. */
  readonly calls: 'new' | 'past';
}

/** An event of a stream, as far as its end shows in it. */
export interface EndSign {
  /** Data that is not JSON: then there is no `root`. */
  readonly data: string;
  /** The event's type, empty where it has none. */
  readonly type: string;
  readonly root?: JsonNode;
}

/**
 * What Weir has to know about one kind of call: one route of a provider's API, or one of Weir's own events. It says nothing
 * of how a call is judged; that is the same for all of them.
 */
export interface ProviderDialect {
  /**
   * Whether calls by POST to a path speak it.
   *
   * @param route what a lenient server would take the path for, in lower case, without what vendors put before a route
   * @param written the same path with its escapes undone
   * @param query as it was sent, with its question mark; empty where there is none
   */
  readonly route: (route: string, written: string, query: string) => RouteFacts | undefined;
  /** Whether a request or answer, of which nobody says where it was sent, is one of this kind. */
  readonly recognises: (body: JsonRecord) => boolean;
  /** The request that a conversation of such turns makes; undefined for turns of another kind. */
  readonly requestOfTurns: ((turns: readonly JsonRecord[]) => object | undefined) | undefined;
  readonly request: RootReading;
  readonly answer: RootReading;
  /**
   * What is written, and paid for: a text; nothing, as with embeddings; or nobody knows. Of what writes a text, the tokens
   * of an answer that broke off are estimated.
   */
  readonly writes: 'text' | 'nothing' | 'unknown';
  /** How many answers a request asks for. */
  readonly answers: (root: JsonNode) => number;
  /** What the provider writes at most for a request that names no limit; undefined where it is the model's own. */
  readonly ownOutputTokens: number | undefined;
  /** The members, from the root, by which a request limits its output. */
  readonly outputLimits: readonly (readonly string[])[];
  /** Where a request gives the JSON Schema that its answer's text has to follow. */
  readonly outputSchemas: readonly (readonly string[])[];
  /**
   * Puts a limit into a request that names none.
   *
   * @param isOwn whether it goes to the provider that made the dialect; others may know older names only
   * @returns undefined where what is there is the provider's to refuse
   */
  readonly outputCap: ((root: ObjectNode, tokens: number, isOwn: boolean) => TextEdit | undefined) | undefined;
  /** Members that name the model. */
  readonly modelMembers: readonly string[];
  /** A schema that a request gives, as JSON Schema. Undefined where it is written as one. */
  readonly readingSchema: ((schema: JsonValue) => Steps<JsonValue>) | undefined;
  /** Whether the provider reads more than the request shows: what is stored there, and results of its own tools. */
  readonly refersToStored: (root: JsonNode) => boolean;
  /** By which member a request names the stored answer that it goes on from; undefined where none does. */
  readonly previousAnswer: string | undefined;
  /** How many searches with a fee a request may lead to. */
  readonly searches: (root: JsonNode) => number;
  /** What asks for an answer that cannot be guarded, for a clear refusal. */
  readonly unguarded: ((root: JsonNode) => ErrorDetail | undefined) | undefined;
  /** Of streams that may come as one list in JSON, whose entries go on with each other: whether an item is such an entry. */
  readonly isListEntry: ((item: JsonNode) => boolean) | undefined;
  /**
   * When answers tell their token counts: `asked`: streams only do so where the request asks for it; `never`: they are
   * estimated.
   */
  readonly usage: 'always' | 'asked' | 'never';
  /**
   * Whether an event shows that the answer is complete, beside the last ones (`isLast`) and errors; undefined where streams
   * tell no end.
   */
  readonly isEnd: ((sign: EndSign) => boolean) | undefined;
  /** An answer with a text that no model has written; undefined where answers are no texts, or nobody knows their form. */
  readonly canned: ((text: CannedText) => CannedAnswer) | undefined;
}

/** An error of Weir's, with what is known about the call. */
export interface StyledError {
  readonly type: ErrorType;
  readonly message: string;
  /** Of the HTTP answer, which the frame of a stream that has begun cannot have any more. */
  readonly status: number;
  readonly requestId: string;
  /** The place that it is about, where there is one. */
  readonly param: string | null;
  readonly weir: WeirInfo;
}

/** What a refusal tells in Weir's own words, whatever the form around it. */
export interface WeirInfo {
  readonly code: ErrorType;
  readonly event_id?: string;
  readonly decision?: DecisionAction;
  readonly violations?: readonly Violation[];
  readonly redactions?: readonly RedactionCount[];
  readonly details?: readonly ErrorDetail[];
  /** What the client may take for the provider's answer instead. */
  readonly answer?: { readonly content_type: string; readonly body: string };
}

/** What is the same for all routes of one provider, and of those who speak like it. */
export interface Provider {
  /** What people call it. */
  readonly name: string;
  /** What the semantic conventions of OpenTelemetry call it (`gen_ai.provider.name`). */
  readonly telemetryName: string;
  /** Where calls to it go unless a setting says otherwise. */
  readonly baseUrl: string;
  /** Whether its official client writes the version (`/v1`) before each route, whatever its base URL ends with. */
  readonly clientWritesVersion: boolean;
  /** An error as the provider would send it, so that its official client raises its own exception. */
  readonly error: (error: StyledError) => object;
  /** The same inside a stream that has begun: a frame on which the official client raises. */
  readonly errorFrame: (error: StyledError) => string;
  /** What keeps a silent stream alive without meaning anything. */
  readonly keepAlive: string;
  /** Headers of its own that clients send and it answers with, in lower case; one that ends with `*` stands for a family. */
  readonly headers: readonly string[];
  /** Those of them whose grammar has no room for words, each with it. */
  readonly plainHeaders: readonly (readonly [string, RegExp])[];
  /** Parameters of the query in which it documents that it takes a credential, in lower case. */
  readonly credentialParameters: readonly string[];
  /** Its governed routes below the base URL, for people. */
  readonly apiRoutes: readonly ApiRoute[];
  /** Members that name the model in an answer. */
  readonly modelMembers: readonly string[];
  /** Whether an event tells clients that the answer is complete: it waits until the answer is in the log. */
  readonly isLast: (sign: EndSign) => boolean;
  /** Its tables of fields: the conformance matrix shows of each entry that it is read. */
  readonly fieldTables: readonly FieldReaders[];
  /** The families of events in which its answers are streamed. */
  readonly streams: readonly StreamFamily[];
  /** Root members of its streams' events that those of no other provider have. */
  readonly streamFields: FieldReaders;
  /** The lists of a request that hold the conversation, and whether an item is the user's own, with which a turn begins. */
  readonly conversations: Readonly<Record<string, (item: JsonNode) => boolean>>;
  /** Whether an object is a picture, of which a call's bound counts the most that one can be. */
  readonly isPicture: (node: ObjectNode) => boolean;
  /** Whether an object stands for a file that is not in the request. */
  readonly namesFile: (node: ObjectNode) => boolean;
  /** Members that tell token counts, wherever they stand. */
  readonly usageMembers: readonly string[];
  /** Reads the token counts of an answer, or of the part of a stream's event that tells them. */
  readonly usage: (answer: JsonNode | undefined) => Usage | undefined;
}

/** A governed route in the OpenAPI document. */
export interface ApiRoute {
  readonly path: string;
  readonly summary: string;
}
