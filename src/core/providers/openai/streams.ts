import { indexIn, isArray, isObject, memberOf, stringOf, type JsonNode } from '../../json/json-node.js';
import {
  COMPLETE_TEXTS,
  namingOf,
  PLAIN_EVENTS,
  UNKNOWN_TEXTS,
  writingOf,
  type Ended,
  type EventHead,
  type Scope,
  type StreamFamily,
  type TextRules,
} from '../stream-family.js';
import { END_MARK, isEndMark } from './end-mark.js';

const OF_CHOICES: TextRules = {
  continuing:
    /^choices\[\d+\]\.(?:text|delta\.(?:content|refusal|reasoning|reasoning_content|thinking|audio\.transcript|(?:content|thinking|reasoning_details)\[\d+\]\.(?:text|summary|refusal)|content\[\d+\]\.thinking(?:\[\d+\]\.text)?|function_call\.arguments|tool_calls\[\d+\]\.(?:function\.arguments|custom\.input)))$/,
  open: /^choices\[\d+\]\./,
};
const IN_MESSAGE = /^choices\[\d+\]\.message\b/;
/** The first part of a message. Mistral sends content as parts and as strings in turn, and clients join both. */
const FIRST_PART = /^(choices\[\d+\]\.message\.content)\[0\]\.text$/;
/** The texts of a message that continue; its other strings are complete. */
const MESSAGE_TEXT = /^choices\[\d+\]\.message\.(?:content|refusal|reasoning|reasoning_content|thinking)$/;

/**
 * Chat completions and completions, of OpenAI and compatible services: https://platform.openai.com/docs/api-reference/chat-streaming
 */
const CHOICES: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'chat completions, completions',
  hasTypes: false,
  // Clients concatenate the texts of choices regardless of other members.
  claims: (_, root) => isArray(memberOf(root, 'choices')),
  scopeOf: () => ({ key: 'choices', type: '' }),
  fixedIn: ({ root }) => {
    const choices = memberOf(root, 'choices');
    return [writingOf('choices', isArray(choices) ? choices.items : [], ['index'])];
  },
  textsOf: () => OF_CHOICES,
  pieceKindOf: (_, path, isOfTool) => {
    if (!IN_MESSAGE.test(path)) return undefined;
    return isOfTool || MESSAGE_TEXT.test(path) ? 'repeat' : 'retold';
  },
  // Azure sends its content filter results in full in each event, with each piece and after the last one.
  whole: /^choices\[\d+\]\.content_filter_|^prompt_filter_results\b/,
  answerPath: (scope, path) => PLAIN_EVENTS.answerPath(scope, path).replace(FIRST_PART, '$1'),
  placeKey: ({ key }, path) => `${key}\n${path}`,
  // Groq reports the token counts there: https://console.groq.com/docs/api-reference#chat-create
  usageHolders: ['x_groq'],
  marks: [END_MARK],
  endedBy: (_, data, root) => {
    if (root === undefined) return isEndMark(data) ? 'all' : undefined;
    return finishedChoices(root);
  },
  callPlace: /^choices\[\d+\]\.message\.(?:tool_calls\[\d+\]|function_call)/,
  choiceOf: (root) => {
    const choices = memberOf(root, 'choices');
    return isArray(choices) && choices.items.length === 1 ? (indexIn(choices.items[0], 'index') ?? 0) : undefined;
  },
  callsFollow: true,
};

/** Choices with a finish reason. */
function finishedChoices(root: JsonNode): Ended | undefined {
  const items = memberOf(root, 'choices');
  if (!isArray(items)) return undefined;
  const choices = items.items.flatMap((choice, position) => {
    const reason = stringOf(choice, 'finish_reason');
    return reason === undefined || reason === '' ? [] : [indexIn(choice, 'index') ?? position];
  });
  return choices.length === 0 ? undefined : { choices };
}

/** The paths, inside the complete item, of texts streamed in pieces. */
const RESPONSE_TEXTS: Readonly<Record<string, (part: number) => string>> = {
  output_text: (part) => `content[${part}].text`,
  refusal: (part) => `content[${part}].refusal`,
  reasoning_text: (part) => `content[${part}].text`,
  reasoning_summary_text: (part) => `summary[${part}].text`,
  output_audio_transcript: (part) => `content[${part}].transcript`,
};
const RESPONSE_TEXT_EVENT = /^response\.([a-z_]+)\.(?:delta|done)$/;
const RESPONSE_PARTS: Readonly<Record<string, string>> = {
  'response.content_part': 'content',
  'response.reasoning_summary_part': 'summary',
};
/** Event types that end a response: https://platform.openai.com/docs/api-reference/responses-streaming */
export const LAST_OF_RESPONSE: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
]);
const ITEM_BEGINS = 'response.output_item.added';
/** The texts of an item or a part; its other strings are sent complete. */
const ITEM_TEXT = /^output\[\d+\]\.(?:content|summary)\[\d+\]\.(?:text|refusal|transcript)$/;
/** Types of events with a piece of the arguments of a call. */
const OF_ARGUMENTS = /^response\.\w*(?:arguments|_call_(?:input|code|command))\.delta$/;
const isOfResponse = (type: string): boolean => type.startsWith('response.');

/** The ends of the types whose texts are complete in each event. */
const HAS_COMPLETE_TEXT =
  /\.(?:added|done|created|queued|in_progress|completed|incomplete|failed|searching|generating|interpreting|partial_image)$/;

/** Whether an event has the members that the provider documents for events of its type. */
function isResponseEvent(type: string, root: JsonNode): boolean {
  if (type.endsWith('.delta')) return memberOf(root, 'delta') !== undefined;
  const isPartOfResponse = ['response', 'item', 'part'].some((key) => isObject(memberOf(root, key)));
  return isPartOfResponse || indexIn(root, 'output_index') !== undefined;
}

/**
 * The text of a `…delta` event is continued by other events, and so are the tokens of its log probabilities, and texts of members that are
 * not documented. Padding, ids and the results of Azure's content filter are complete.
 */
const OF_DELTAS: TextRules = {
  continuing: /^delta(?:\.text)?$/,
  open: /^(?!content_filter|(?:obfuscation|type|(?:\w+_)?id)$)/,
};

/** https://platform.openai.com/docs/api-reference/responses-streaming */
const RESPONSES: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'responses',
  claims: (type, root) => isOfResponse(type) && (root === undefined || isResponseEvent(type, root)),
  scopeOf: scopeOfResponse,
  fixedIn: (event) => [
    namingOf('responses', event),
    writingOf('responses', [event.root], ['output_index', 'content_index', 'summary_index']),
  ],
  itemOf: ({ type, root }, { index }) => {
    const id = nameIn(root, 'item_id');
    return { kind: type, index, id: id === '' ? undefined : id };
  },
  // Some gateways send all items under one index, one after the other.
  beginsAtUsedIndex: ITEM_BEGINS,
  restarts: (type) => (type === ITEM_BEGINS ? 'block' : undefined),
  textsOf: (type) => {
    if (type.endsWith('.delta')) return OF_DELTAS;
    return HAS_COMPLETE_TEXT.test(type) ? COMPLETE_TEXTS : UNKNOWN_TEXTS;
  },
  pieceKindOf: (scope, own, isOfTool) => {
    const path = responsePath(scope, own);
    if (isOfTool || !HAS_COMPLETE_TEXT.test(scope.type) || !isPlaced(scope, path)) return undefined;
    if (!ITEM_TEXT.test(path)) return 'retold';
    return scope.type.endsWith('.added') ? 'beginning' : 'repeat';
  },
  // Members of the response other than its output, repeated with each state.
  whole: /^response\.(?!output\b)/,
  answerPath: responsePath,
  placeKey: (scope, path, own, isOfTool) =>
    isPlaced(scope, path) && !isOfTool ? `response\n${path}` : `${scope.key}\n${own}`,
  answerMembers: ['response'],
  endedBy: (type, _, root) => {
    if (root === undefined) return undefined;
    if (LAST_OF_RESPONSE.has(type)) return 'all';
    return type === 'response.output_item.done' ? 'block' : undefined;
  },
  blockOf: (type) => (isOfResponse(type) ? 'item' : undefined),
  retellsCalls: isOfResponse,
  callPlace: /^output\[\d+\]/,
  signsLate: (type, path, role) => (role === 'reasoning' && isOfResponse(type)) || PLAIN_EVENTS.signsLate(type, path),
};

/**
 * Clients find a part of a summary by `summary_index`, a command by `command_index`, any other part by `content_index`, and arguments by
 * the index of their item alone, whatever other members an event has: GitHub Copilot gives each event of an item another `item_id`.
 */
function scopeOfResponse(event: EventHead): Omit<Scope, 'family'> {
  const { type, root } = event;
  const { key, index } = PLAIN_EVENTS.scopeOf(event);
  const part = indexIn(root, type.startsWith('response.reasoning_summary') ? 'summary_index' : 'content_index');
  const place = { type, ...(index === undefined ? {} : { index }), ...(part === undefined ? {} : { part }) };
  if (!OF_ARGUMENTS.test(type)) return { key, ...place };
  const item = ['output_index', 'index', 'item_id'].map((name) => nameIn(root, name)).find((name) => name !== '');
  const command = type.includes('shell_call') ? nameIn(root, 'command_index') : '';
  return { key: JSON.stringify([type, item ?? '', command]), ...place };
}

/** An index or id in an event; the empty string if there is none. */
function nameIn(root: JsonNode, key: string): number | string {
  return indexIn(root, key) ?? stringOf(root, key) ?? '';
}

function responsePath(scope: Scope, path: string): string {
  const { type, index } = scope;
  return isOfResponse(type) && index !== undefined
    ? `output[${index}]${pathInItem(scope, path)}`
    : PLAIN_EVENTS.answerPath(scope, path);
}

function pathInItem({ type, part = 0 }: Scope, path: string): string {
  const name = RESPONSE_TEXT_EVENT.exec(type)?.[1] ?? '';
  const whole = name === 'refusal' ? 'refusal' : name === 'output_audio_transcript' ? 'transcript' : 'text';
  const isText = path === 'delta' || path === whole;
  if (isText && Object.hasOwn(RESPONSE_TEXTS, name)) return `.${RESPONSE_TEXTS[name]!(part)}`;
  const list = RESPONSE_PARTS[type.replace(/\.(?:added|done)$/, '')];
  if (list !== undefined && path.startsWith('part.')) return `.${list}[${part}]${path.slice('part'.length)}`;
  return path.replace(/^item\b/, '').replace(/^(?=[^.[{])/, '.');
}

/** Whether some events send the text in pieces and others in full. */
function isPlaced({ type, index }: Scope, path: string): boolean {
  if (!isOfResponse(type)) return false;
  if (index === undefined) return path.startsWith('output[');
  return type.startsWith('response.output_item.') || /^output\[\d+\]\.(?:content|summary)\[\d+\]/.test(path);
}

const OF_THREADS: TextRules = {
  continuing:
    /^delta\.(?:content\[\d+\]\.(?:text\.value|refusal)|step_details\.tool_calls\[\d+\]\.(?:function\.arguments|code_interpreter\.input))$/,
  open: /^delta\.(?:content\[\d+\]|step_details\.tool_calls\[\d+\])\.(?:[^.[{]+|function\.[^.[{]+|code_interpreter\.[^.[{]+)$/,
};

/** The text of a message, which later states of the message repeat as a whole: in a delta, and in the message. */
const THREAD_TEXT = /^(?:delta\.)?(content\[\d+\]\.(?:text\.value|refusal))$/;

/** Runs of the Assistants API. */
const THREADS: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'assistants',
  // Each event is an object of the thread; its member `object` names the kind.
  claims: (type, root) =>
    type.startsWith('thread.') && (root === undefined || /^thread\b/.test(stringOf(root, 'object') ?? '')),
  // Events of a thread's messages and steps can interleave; other events have an id each.
  scopeOf: (event) => ({
    ...PLAIN_EVENTS.scopeOf(event),
    key: JSON.stringify([event.name, event.type, stringOf(event.root, 'id') ?? '']),
  }),
  textsOf: (type) => (type.endsWith('.delta') ? OF_THREADS : COMPLETE_TEXTS),
  pieceKindOf: ({ type }, path, isOfTool) =>
    !isOfTool && !type.endsWith('.delta') && THREAD_TEXT.test(path) ? 'repeat' : undefined,
  placeKey: (scope, path, own, isOfTool) => {
    const text = isOfTool ? undefined : THREAD_TEXT.exec(own)?.[1];
    if (text === undefined) return PLAIN_EVENTS.placeKey(scope, path, own);
    const id = (JSON.parse(scope.key) as unknown[]).at(-1);
    return `message ${String(id)}\n${text}`;
  },
};

const PIECE_OF_TRANSCRIPT = 'transcript.text.delta';
const WHOLE_TRANSCRIPT = 'transcript.text.done';
const isTranscript = (type: string, path: string): boolean => path === (type === WHOLE_TRANSCRIPT ? 'text' : 'delta');

/** Transcripts of recordings: https://platform.openai.com/docs/api-reference/audio/transcript-text-delta-event */
const TRANSCRIPTS: StreamFamily = {
  ...PLAIN_EVENTS,
  name: 'transcripts',
  claims: (type, root) =>
    (type === PIECE_OF_TRANSCRIPT && stringOf(root, 'delta') !== undefined) ||
    (type === WHOLE_TRANSCRIPT && stringOf(root, 'text') !== undefined),
  fixedIn: (event) => [namingOf('transcripts', event)],
  textsOf: () => UNKNOWN_TEXTS,
  pieceKindOf: ({ type }, path) => (type === WHOLE_TRANSCRIPT && isTranscript(type, path) ? 'repeat' : undefined),
  answerPath: (scope, path) => (isTranscript(scope.type, path) ? 'text' : PLAIN_EVENTS.answerPath(scope, path)),
  placeKey: (scope, path, own) => {
    if (!isTranscript(scope.type, own)) return PLAIN_EVENTS.placeKey(scope, path, own);
    const [, , ...ids] = JSON.parse(scope.key) as unknown[];
    return `transcript ${JSON.stringify(ids)}`;
  },
  mayContinueCalls: true,
};

export const OPENAI_STREAMS: readonly StreamFamily[] = [RESPONSES, THREADS, TRANSCRIPTS, CHOICES];
