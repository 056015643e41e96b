import { numberOf, stringOf, type JsonNode } from '../json/json-node.js';
import type { SegmentRole } from '../model/call.js';

/** The text that an event continues. */
export interface Scope {
  /** Equal for all events that go on with the same texts. */
  readonly key: string;
  /** The event's type. */
  readonly type: string;
  /** The block or item that the event is about. */
  readonly index?: number;
  /** The part of the item's content, or of its summary. */
  readonly part?: number;
  /** The events that it is one of. */
  readonly family: StreamFamily;
}

/**
 * What a text in an event is:
 * - `whole`: complete as it is;
 * - `retold`: complete as it is, and told again as it was by other events;
 * - `piece`: what comes under the same path in other events continues it;
 * - `either`: it may be a piece or complete, the provider does not say: it is read both ways;
 * - `beginning`: pieces continue it that are found elsewhere;
 * - `repeat`: a text so far, told again with every event.
 */
export type PieceKind = 'whole' | 'retold' | 'piece' | 'either' | 'beginning' | 'repeat';

/** Which texts of events go on in other events. */
export interface TextRules {
  /** Paths whose texts go on, as the provider documents it. */
  readonly continuing: RegExp;
  /** Paths of which nobody says whether they go on. */
  readonly open: RegExp;
}

/** An event as it came. */
export interface EventHead {
  /** Of the event stream's `event:` line, empty where it has none. */
  readonly name: string;
  readonly type: string;
  readonly root: JsonNode;
}

/** What is complete after an event: all texts, those of a block or item, or those of some of the choices. */
export type Ended = 'all' | 'block' | { readonly choices: readonly number[] };

/** A family of a provider's stream events: what they go on with, where their texts belong, and what ends them. */
export interface StreamFamily {
  readonly name: string;
  /**
   * Whether an event is one of them, by its type or by its members. Families with types of their own are asked first: an
   * event with such a type is theirs whatever members it has.
   */
  readonly claims: (type: string, root: JsonNode | undefined) => boolean;
  /** Whether it claims events by their types. */
  readonly hasTypes: boolean;
  readonly scopeOf: (event: EventHead) => Omit<Scope, 'family'>;
  /** The texts that continue, by the event's type. */
  readonly textsOf: (type: string) => TextRules;
  /** Whether those rules are about paths in the answer, instead of paths in the event. */
  readonly hasRulesOfAnswers: boolean;
  /** The kind of a text that some events send piece by piece and others as a whole; undefined if the rules determine it. */
  readonly toldAs: (scope: Scope, path: string, isOfTool: boolean) => Exclude<PieceKind, 'whole'> | undefined;
  /** Paths of texts that each event sends anew and complete. */
  readonly whole: RegExp;
  /** The path that a text of an event would have in the answer had it not been streamed. */
  readonly answerPath: (scope: Scope, path: string) => string;
  /** Equal for texts that clients put together, or take for each other. @param path in the answer @param own in the event */
  readonly placeKey: (scope: Scope, path: string, own: string, isOfTool: boolean) => string;
  /** Members of events that hold an answer, or what is known of it so far. */
  readonly answerMembers: readonly string[];
  /** Data that is no JSON and holds no text. */
  readonly marks: readonly string[];
  /** What an event ends. @param root undefined for data that is no JSON */
  readonly endedBy: (type: string, data: string, root: JsonNode | undefined) => Ended | undefined;
  /** What the blocks or items are called that events of a type are about; undefined where they are about none. */
  readonly blockOf: (type: string) => string | undefined;
  /** Whether events of a type show a block or item of which the rest follows. */
  readonly begins: (type: string) => boolean;
  /** Whether events of a type describe a call that other events describe as well. */
  readonly retellsCalls: (type: string) => boolean;
  /** Whether a text goes on with the arguments of the block or item that was begun. @param key its member's name */
  readonly continuesCall: (type: string, key: string | undefined) => boolean;
  /** Where a call stands in the answer that an event shows as a whole. */
  readonly callPath: (scope: Scope, path: string) => string;
  /** How paths begin of texts of one call, in the answer; undefined where an event always tells all of a call. */
  readonly callPlace: RegExp | undefined;
  /** The one choice that an event is about, of several that come side by side; undefined where it is about more, or where there are none. */
  readonly choiceOf: (root: JsonNode) => number | undefined;
  /** Whether the next call of a choice shows that the one before is complete. */
  readonly callsFollow: boolean;
  /** Whether a text may turn out to be signed with its end. @param path in the answer */
  readonly signsLate: (type: string, path: string, role: SegmentRole) => boolean;
}

export const NEVER = /(?!)/;
/** Of events that say something beside the texts. */
export const TOLD_ONCE: TextRules = { continuing: NEVER, open: NEVER };
/** Of events that nobody knows: everything may go on. */
export const UNKNOWN_TEXTS: TextRules = { continuing: NEVER, open: /(?:)/ };

/** Root members that tell which text an event continues. */
const SCOPE_KEYS = ['type', 'index', 'item_id', 'output_index', 'content_index', 'summary_index', 'annotation_index'];

/** What the members of an event say that tell which text it continues. */
export function scopeIds(root: JsonNode): (string | number)[] {
  return SCOPE_KEYS.map((key) => stringOf(root, key) ?? numberOf(root, key) ?? '');
}

/** The block or item, and the part of it, that an event is about. */
export function scopePlace(root: JsonNode): Pick<Scope, 'index' | 'part'> {
  const index = numberOf(root, 'output_index') ?? numberOf(root, 'index');
  const part = numberOf(root, 'content_index') ?? numberOf(root, 'summary_index');
  return { ...(index === undefined ? {} : { index }), ...(part === undefined ? {} : { part }) };
}

/** Without what wraps an answer in an event. */
export function unwrapped(path: string): string {
  return path.replace(/^(?:response|message)\./, '');
}

/** What events have in common of which nothing else is known: each says by its members which text it goes on with. */
export const PLAIN_EVENTS = {
  hasTypes: true,
  scopeOf: ({ name, type, root }) => ({
    key: JSON.stringify([name, ...scopeIds(root)]),
    type,
    ...scopePlace(root),
  }),
  hasRulesOfAnswers: false,
  toldAs: () => undefined,
  whole: NEVER,
  answerPath: (_, path) => unwrapped(path.replace(/^(choices\[\d+\])\.delta\b/, '$1.message')),
  placeKey: ({ key }, _, own) => `${key}\n${own}`,
  answerMembers: [],
  marks: [],
  endedBy: () => undefined,
  blockOf: () => undefined,
  begins: (type) => type.endsWith('.added'),
  retellsCalls: () => false,
  continuesCall: (type, key) => key === 'delta' && /(?:arguments|_input)\.delta$/.test(type),
  callPath: ({ index }, path) => (index === undefined ? unwrapped(path) : `output[${index}]`),
  callPlace: undefined,
  choiceOf: () => undefined,
  callsFollow: false,
  signsLate: (_, path) => path.includes('.reasoning_details[') || path.includes('reasoningContent.'),
} as const satisfies Partial<StreamFamily>;
