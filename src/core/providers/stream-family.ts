import { indexIn, stringOf, type JsonNode } from '../json/json-node.js';
import type { SegmentRole } from '../model/call.js';

/** Identifies the texts that an event continues. */
export interface Scope {
  /** A key that is equal for all events that continue the same texts. */
  readonly key: string;
  /** The event's type. */
  readonly type: string;
  /** The block, item or call that the event is about. */
  readonly index?: number | string;
  /** Index of the part in the item's content or summary. */
  readonly part?: number;
  /** The family of the event. */
  readonly family: StreamFamily;
}

/**
 * The kind of a text in an event:
 * - `whole`: complete as it is;
 * - `retold`: complete as it is, and repeated unchanged by other events;
 * - `piece`: continued by texts with the same path in other events;
 * - `either`: a piece or complete; the provider does not specify which, so it is read both ways;
 * - `beginning`: continued by pieces with another path;
 * - `repeat`: the text so far, sent again with each event.
 */
export type PieceKind = 'whole' | 'retold' | 'piece' | 'either' | 'beginning' | 'repeat';

/** Which texts of events are continued by other events. */
export interface TextRules {
  /** Paths of texts that are continued according to the provider's documentation. */
  readonly continuing: RegExp;
  /** Paths of texts for which it is not documented whether they are continued. */
  readonly open: RegExp;
}

/** A part of an answer. */
export interface AnswerPart {
  /** The path of the list of parts in the answer, equal in all events. */
  readonly list: string;
  /** The path of its text in the event. */
  readonly path: string;
  /** The kind of its text: clients may join the texts of consecutive parts of one kind. Undefined for a part without a text. */
  readonly kind: string | undefined;
}

/** An event as received. */
export interface EventHead {
  /** Value of the `event:` line; empty if there is none. */
  readonly name: string;
  readonly type: string;
  readonly root: JsonNode;
}

/** The item that an event continues, under both of its names: some clients find it by its index, others by its id. */
export interface NamedItem {
  /** The kind of text: texts of different kinds are never joined. */
  readonly kind: string;
  readonly index: number | string | undefined;
  readonly id: number | string | undefined;
}

/** The texts that are complete after an event: all, those of a block or item, or those of some choices. */
export type Ended = 'all' | 'block' | { readonly choices: readonly number[] };

/** A family of a provider's stream events: the texts they continue, their places in the answer, and the events that end them. */
export interface StreamFamily {
  readonly name: string;
  /**
   * Whether an event belongs to the family, by its type or its members. Families with distinct types are checked first, by the type and
   * the members that the provider documents for it: other vendors send events with the same types and their own members, whose texts may
   * continue from event to event. For data that is not JSON, the type decides.
   */
  readonly claims: (type: string, root: JsonNode | undefined) => boolean;
  /** Whether the family recognises its events by type. */
  readonly hasTypes: boolean;
  readonly scopeOf: (event: EventHead) => Omit<Scope, 'family'>;
  /**
   * What is the same in all events of a stream with texts that continue: values by their keys. Clients differ in whether an event with
   * another value continues a text.
   */
  readonly fixedIn: (
    event: EventHead,
    scope: Omit<Scope, 'family'>,
  ) => readonly (readonly [key: string, value: string])[];
  /** The item that an event continues; undefined if all clients of the family find it in one way. */
  readonly itemOf: ((event: EventHead, scope: Omit<Scope, 'family'>) => NamedItem) | undefined;
  /** The type of events that begin an item, which may have the index of one that has ended; undefined if no item has. */
  readonly beginsAtUsedIndex: string | undefined;
  /** The rules for continued texts, by the event's type. */
  readonly textsOf: (type: string) => TextRules;
  /** Whether those rules are about paths in the answer, instead of paths in the event. */
  readonly hasRulesOfAnswers: boolean;
  /** The kind of a text that some events send piece by piece and others as a whole; undefined if the rules determine it. */
  readonly pieceKindOf: (scope: Scope, path: string, isOfTool: boolean) => Exclude<PieceKind, 'whole'> | undefined;
  /** Paths of texts that are complete in each event. A repetition is another text. */
  readonly whole: RegExp;
  /** The path that a text of an event would have in an answer without streaming. */
  readonly answerPath: (scope: Scope, path: string) => string;
  /**
   * Returns a key that is equal for texts that clients concatenate or treat as the same text.
   * @param path the path in the answer
   * @param own the path in the event
   */
  readonly placeKey: (scope: Scope, path: string, own: string, isOfTool: boolean) => string;
  /** The parts of the answer in an event; undefined if clients of the family join no texts of parts. */
  readonly partsOf: ((root: JsonNode) => Iterable<AnswerPart>) | undefined;
  /** Members of events that contain an answer or its current state. */
  readonly answerMembers: readonly string[];
  /** Other members of events that contain token counts. */
  readonly usageHolders: readonly string[];
  /** Data that is not JSON and contains no text, such as an end mark. */
  readonly marks: readonly string[];
  /** The texts that an event completes. @param root undefined for data that is not JSON */
  readonly endedBy: (type: string, data: string, root: JsonNode | undefined) => Ended | undefined;
  /** The name of the blocks or items to which events of this type refer; undefined if they refer to none. */
  readonly blockOf: (type: string) => string | undefined;
  /** Whether events of a type start a block or item that later events continue. */
  readonly begins: (type: string) => boolean;
  /** What an event of a type begins, once more if it began before: a block, or a message with all of its blocks. */
  readonly restarts: (type: string) => 'block' | 'all' | undefined;
  /** Whether events of a type describe a tool call that other events also describe. */
  readonly retellsCalls: (type: string) => boolean;
  /** Whether a text continues the arguments of the block or item that has started. @param key name of the text's member */
  readonly continuesCall: (type: string, key: string | undefined) => boolean;
  /** The path of a tool call in the complete answer contained in an event. */
  readonly callPath: (scope: Scope, path: string) => string;
  /** The start of the paths of one tool call's texts in the answer; undefined if an event always contains the complete call. */
  readonly callPlace: RegExp | undefined;
  /** Whether an event of this type is itself a piece of a tool call. */
  readonly isPieceOfCall: (type: string) => boolean;
  /** Whether events in which a call has only a name may be continued by other events in an unknown way. */
  readonly mayContinueCalls: boolean;
  /** Index of the single choice to which an event refers; undefined if it refers to several or none. */
  readonly choiceOf: (root: JsonNode) => number | undefined;
  /** Whether the next tool call of a choice shows that the previous one is complete. */
  readonly callsFollow: boolean;
  /** Whether a text can get a signature at its end. @param path the path in the answer */
  readonly signsLate: (type: string, path: string, role: SegmentRole) => boolean;
}

export const NEVER = /(?!)/;
/** The rules of events whose texts are complete: none is continued. */
export const COMPLETE_TEXTS: TextRules = { continuing: NEVER, open: NEVER };
/** The rules of unknown events: any text may be continued. */
export const UNKNOWN_TEXTS: TextRules = { continuing: NEVER, open: /(?:)/ };

/** Root members that identify the text that an event continues. */
const SCOPE_KEYS = [
  ...['type', 'index', 'item_id', 'output_index', 'content_index', 'summary_index', 'annotation_index'],
  // A call of a shell has several commands, and each has its own output.
  'command_index',
];

/** The values of the members that identify the text an event continues. */
export function scopeIds(root: JsonNode): (string | number)[] {
  return SCOPE_KEYS.map((key) => indexIn(root, key) ?? stringOf(root, key) ?? '');
}

/** The block or item to which an event refers, and the part of it. */
function scopePlace(root: JsonNode): Pick<Scope, 'index' | 'part'> {
  const index = indexIn(root, 'output_index') ?? indexIn(root, 'index');
  const part = indexIn(root, 'content_index') ?? indexIn(root, 'summary_index');
  return { ...(index === undefined ? {} : { index }), ...(part === undefined ? {} : { part }) };
}

/**
 * Whether an event has its type in the data, in its `event:` line, or in both: some clients select events by their type, others by their
 * name.
 */
export function namingOf(family: string, { name, root }: EventHead): readonly [key: string, value: string] {
  const inData = stringOf(root, 'type');
  const naming = name === '' ? 'type' : inData === undefined ? 'name' : name === inData ? 'both' : `other ${name}`;
  return [family, naming];
}

/**
 * Whether these indices in an event are strings: some clients take the string `0` and the number 0 for one index, others for two. Absent
 * indices are left out, because not every event has each of them.
 */
export function writingOf(
  family: string,
  nodes: readonly JsonNode[],
  keys: readonly string[],
): readonly [key: string, value: string] {
  const isText = nodes.some((node) => keys.some((key) => stringOf(node, key) !== undefined));
  return [`${family} indices`, isText ? 'strings' : 'numbers'];
}

/** The path without the member that wraps an answer in an event. */
export function unwrapped(path: string): string {
  return path.replace(/^(?:response|message)\./, '');
}

/** Defaults for stream families: the members of each event identify the text that it continues. */
export const PLAIN_EVENTS = {
  hasTypes: true,
  scopeOf: ({ name, type, root }) => ({
    key: JSON.stringify([name, ...scopeIds(root)]),
    type,
    ...scopePlace(root),
  }),
  fixedIn: () => [],
  itemOf: undefined,
  beginsAtUsedIndex: undefined,
  hasRulesOfAnswers: false,
  pieceKindOf: () => undefined,
  whole: NEVER,
  answerPath: (_, path) => unwrapped(path.replace(/^(choices\[\d+\])\.delta\b/, '$1.message')),
  placeKey: ({ key }, _, own) => `${key}\n${own}`,
  partsOf: undefined,
  answerMembers: [],
  usageHolders: [],
  marks: [],
  endedBy: () => undefined,
  blockOf: () => undefined,
  begins: (type) => type.endsWith('.added'),
  restarts: () => undefined,
  retellsCalls: () => false,
  continuesCall: (type, key) => key === 'delta' && /(?:arguments|_input)\.delta$/.test(type),
  callPath: ({ index }, path) => (index === undefined ? unwrapped(path) : `output[${index}]`),
  callPlace: undefined,
  isPieceOfCall: () => false,
  mayContinueCalls: false,
  choiceOf: () => undefined,
  callsFollow: false,
  signsLate: (_, path) => path.includes('.reasoning_details[') || path.includes('reasoningContent.'),
} as const satisfies Partial<StreamFamily>;
