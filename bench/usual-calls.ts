/**
 * The usual calls of the benches, in the shapes of `traffic-shapes.ts`. Like those of applications, each has its own text, answer and ids, and
 * all have the same provider key: values that repeat where those of applications do not would be answered from caches. Texts depend only on
 * `--seed`. Each call knows which answer is right, so that a wrong answer makes a figure void.
 */
import { seededRandom } from '../test/support/seeded-random.js';
import {
  answerMessage,
  lettersOf,
  longAnswer,
  MOST_ADDRESSES,
  promptOf,
  SHAPES,
  type TrafficShape,
} from './traffic-shapes.js';
import type { Sent } from './load.js';
import { addressesIn, Draw } from './made-prose.js';
import { numberOption } from './options.js';

/** Seed of all texts. */
const SEED = numberOption('seed', 16);
/** Half of the calls are chats; agents and questions with documents are a quarter each. */
const CYCLE: readonly TrafficShape[] = ['chat', 'agent', 'chat', 'rag'];
/** One call in this many has one to three e-mail addresses, which are masked. It has no common divisor with the length of the cycle. */
const ADDRESSES_EVERY = 5;
/** Number of texts that recur if calls repeat texts. */
const RECURRING = 100;
/** Calls of an application whose answer is not submitted yet: more than connections, so that a request arrives before its answer. */
const OPEN_CALLS = 64;
const MODEL = 'gpt-4o';
const TEAMS = ['search', 'support', 'billing', 'returns', 'catalogue', 'press', 'legal', 'stock'] as const;

/** Different seeds for the parts of one call. */
const PURPOSES = { prompt: 1, reference: 2, metadata: 3 } as const;

/** Ids differ between runs, because a database that is kept knows those of earlier runs. */
const RUN = lettersOf(new Draw(seededRandom(Date.now() | 0)), 6);

let applications = 0;
let ids = 0;

/** A seed; those of one application and purpose are different for all indexes, since the factor is odd. */
function seedOf(application: number, purpose: number, index: number): number {
  const base = Math.imul(SEED + 1, 0x9e3779b1) ^ Math.imul(application, 0x85ebca6b) ^ Math.imul(purpose, 0x27d4eb2f);
  return (base + Math.imul(index, 0xc2b2ae35)) | 0;
}

/** FNV-1a, 32 bits. */
const hashOf = (text: string): number =>
  [...text].reduce((hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193), 0x811c9dc5 | 0);

/** A new id of a call, in a form that detectors have to scan, unlike a UUID. */
function newId(prefix: string): string {
  ids += 1;
  return `${prefix}-${RUN}${lettersOf(new Draw(seededRandom(seedOf(0, PURPOSES.reference, ids))), 18)}`;
}

/** The key that callers of the proxy send to their provider: as long as those of the usual providers. */
export const PROVIDER_KEY = ['sk', 'proj', lettersOf(new Draw(seededRandom(1_000_000_000)), 156)].join('-');

/** The headers that OpenAI's SDK sends with each call. Most are forwarded to the provider, so they are judged. */
export const SDK_HEADERS = {
  accept: 'application/json',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'OpenAI/JS 6.9.1',
  'x-stainless-arch': 'x64',
  'x-stainless-lang': 'js',
  'x-stainless-os': 'Linux',
  'x-stainless-package-version': '6.9.1',
  'x-stainless-retry-count': '0',
  'x-stainless-runtime': 'node',
  'x-stainless-runtime-version': 'v24.11.1',
  'x-stainless-timeout': '600',
} as const;

/** One call of an application before it is sent. */
interface Call {
  readonly body: { readonly model: string; readonly messages: readonly object[]; readonly tools?: readonly object[] };
  /** Letters that the provider repeats in its answer. The first one is that of the shape. */
  readonly reference: string;
  readonly addresses: number;
  readonly metadata: object;
}

const shapeAt = (index: number): TrafficShape => CYCLE[index % CYCLE.length] ?? 'chat';
const addressesAt = (index: number): number =>
  index % ADDRESSES_EVERY === 2 ? 1 + (Math.floor(index / ADDRESSES_EVERY) % MOST_ADDRESSES) : 0;

/**
 * The calls of an application, each with a new text by default.
 * @param repeated percentage of calls that send one of the recurring texts
 * @param application number that determines the texts; by default one that no other application has
 */
function callsOfApplication(repeated: number, application = (applications += 1)): () => Call {
  let calls = 0;
  return () => {
    calls += 1;
    const isRepeated = (calls * 37) % 100 < repeated;
    const index = isRepeated ? calls % RECURRING : calls + RECURRING;
    const shape = shapeAt(index);
    const draw = new Draw(seededRandom(seedOf(application, PURPOSES.metadata, calls)));
    const reference = new Draw(seededRandom(seedOf(application, PURPOSES.reference, calls)));
    return {
      body: { model: MODEL, ...promptOf(shape, seedOf(application, PURPOSES.prompt, index), addressesAt(index)) },
      reference: `${shape.charAt(0)}${lettersOf(reference, 15)}`,
      addresses: addressesAt(index),
      metadata: {
        team: draw.of(TEAMS),
        user_id: `u-${draw.between(1, 9_999)}`,
        session: `s-${lettersOf(draw, 16)}`,
        feature: shape,
      },
    };
  };
}

/** The parts of an answer of the provider, or of Weir to an event, that are compared. */
interface Answer {
  readonly id?: unknown;
  readonly choices?: readonly { readonly message?: unknown }[];
  readonly event_id?: unknown;
  readonly decision?: unknown;
  readonly status?: unknown;
  readonly payload?: unknown;
}

const COUNTS = 'bcdfghjklmnpqrstvwxz';
const USAGE = JSON.stringify({ prompt_tokens: 900, completion_tokens: 160, total_tokens: 1_060 });
const ANSWER_ID = /^chatcmpl-([a-z]{16})-([a-z])$/;
/** Number of messages that are kept: the calls of a baseline recur, and their answers must not slow it down. */
const MOST_KEPT = 4_096;
const kept = new Map<string, string>();

/** The message of the answer to a call, as JSON. */
function messageOf(reference: string): string {
  const known = kept.get(reference);
  if (known !== undefined) return known;
  const shape = SHAPES.find((name) => name.startsWith(reference.charAt(0))) ?? 'chat';
  const made = JSON.stringify(answerMessage(shape, hashOf(reference)));
  if (kept.size >= MOST_KEPT) kept.clear();
  kept.set(reference, made);
  return made;
}

/** Without any member if the text is not an object in JSON. */
function parsed(text: string): Answer {
  try {
    return (JSON.parse(text) as Answer | null) ?? {};
  } catch {
    return {};
  }
}

/** The reference of a call in the body that the provider received. */
export const referenceIn = (request: string): string | undefined => /"user": ?"([a-z]{16})"/.exec(request)?.[1];

/** The answer of the provider in `programs/upstream.ts`: its text depends on the call's reference, its id also on the addresses. */
export function answerTo(request: string): string {
  const reference = referenceIn(request) ?? `c${newId('').slice(-15)}`;
  const id = `chatcmpl-${reference}-${COUNTS.charAt(Math.min(addressesIn(request), COUNTS.length - 1))}`;
  return `{"id":"${id}","object":"chat.completion","created":1,"model":"${MODEL}","choices":[{"index":0,"message":${messageOf(reference)},"finish_reason":"stop"}],"usage":${USAGE}}`;
}

/** Whether a text is a complete answer of the provider in `programs/upstream.ts`, to any call. */
export function isAnswer(text: string): boolean {
  const { id, choices } = parsed(text);
  const reference = typeof id === 'string' ? ANSWER_ID.exec(id)?.[1] : undefined;
  return reference !== undefined && JSON.stringify(choices?.[0]?.message) === messageOf(reference);
}

/** Settings of the calls of one application. */
export interface CallOptions {
  /** Percentage of calls that send the text of an earlier call. */
  readonly repeated?: number;
  /** Whether the measured program masks e-mail addresses; by default it does. */
  readonly isGoverned?: boolean;
  /** Number that determines the texts, for two services that are compared; by default, no other application has these texts. */
  readonly application?: number;
}

/** Returns a function that creates calls to the proxy. Each answer must be the provider's to this call, and no address may reach it. */
export function proxiedCalls({ repeated = 0, isGoverned = true, application }: CallOptions = {}): () => Sent {
  const next = callsOfApplication(repeated, application);
  return () => {
    const { body, reference, addresses } = next();
    const id = `chatcmpl-${reference}-${COUNTS.charAt(isGoverned ? 0 : addresses)}`;
    const message = messageOf(reference);
    return {
      body: JSON.stringify({ ...body, user: reference }),
      isRight: (text) => {
        const answer = parsed(text);
        return answer.id === id && JSON.stringify(answer.choices?.[0]?.message) === message;
      },
    };
  };
}

/**  isOwnId whether the client gives the event an id, so that Weir looks for an earlier event with it and stores the answer for retries */
function eventOf(
  type: string,
  id: string,
  isOwnId: boolean,
  rest: object,
  isExpected: (answer: Answer) => boolean,
): Sent {
  const eventId = isOwnId ? newId('event') : undefined;
  const body = JSON.stringify({
    ...(eventId === undefined ? {} : { event_id: eventId }),
    type,
    request_id: id,
    provider: 'openai',
    model: MODEL,
    ...rest,
  });
  const isRight = (text: string): boolean => {
    const answer = parsed(text);
    const isItsId = eventId === undefined ? typeof answer.event_id === 'string' : answer.event_id === eventId;
    return isItsId && isExpected(answer);
  };
  return { body, isRight };
}

/** A call as a submitted event. With addresses, the answer must contain the payload without them. */
function requestEvent(id: string, isOwnId: boolean, { body, addresses, metadata }: Call): Sent {
  const { messages, tools } = body;
  const payload = { messages, ...(tools === undefined ? {} : { tools }) };
  return eventOf('ai.request', id, isOwnId, { metadata, payload }, (answer) =>
    addresses === 0
      ? answer.decision === 'allow' && answer.payload === undefined
      : answer.decision === 'redact' &&
        answer.payload !== undefined &&
        addressesIn(JSON.stringify(answer.payload)) === 0,
  );
}

const answerEvent = (id: string, isOwnId: boolean, { reference, metadata }: Call): Sent => {
  const { content } = JSON.parse(messageOf(reference)) as { readonly content: string };
  const payload = { output: content, usage: { prompt_tokens: 900, completion_tokens: 160 } };
  return eventOf('ai.response', id, isOwnId, { metadata, payload }, ({ status }) => status === 'recorded');
};

/** Whether the events of a call have ids of their client: in every second cycle, so that all shapes occur with and without such ids. */
const hasOwnId = (nth: number): boolean => Math.floor(nth / CYCLE.length) % 2 === 0;

/** Returns a function that creates events of new calls, all of them requests. */
export function submittedRequests({ repeated = 0 }: CallOptions = {}): () => Sent {
  const next = callsOfApplication(repeated);
  let calls = 0;
  return () => requestEvent(newId('call'), hasOwnId((calls += 1)), next());
}

/**
 * Returns a function that creates the events of an application in their order: for each call its request and, after those of some other
 * calls, its answer with the same request id. Each measured service needs its own, so that it receives both events of a call.
 */
export function submittedEvents({ repeated = 0, application }: CallOptions = {}): () => Sent {
  const next = callsOfApplication(repeated, application);
  const open: { readonly id: string; readonly isOwnId: boolean; readonly call: Call }[] = [];
  let calls = 0;
  return () => {
    const answered = open.length > OPEN_CALLS ? open.shift() : undefined;
    if (answered !== undefined) return answerEvent(answered.id, answered.isOwnId, answered.call);
    calls += 1;
    const made = { id: newId('call'), isOwnId: hasOwnId(calls), call: next() };
    open.push(made);
    return requestEvent(made.id, made.isOwnId, made.call);
  };
}

const forPeers = callsOfApplication(0);

/**
 * The body of a chat whose text is new and contains a reference, which the provider of `programs/reference-upstream.ts` repeats in its
 * answer, so that each answer can be matched to its call. It has no e-mail address, which other gateways handle in different ways.
 */
export function referringChatBody(reference: string, streamed: boolean): string {
  let call = forPeers();
  while (call.addresses > 0 || call.body.tools !== undefined) call = forPeers();
  const { model, messages } = call.body;
  const all = [...messages, { role: 'user', content: `Reference ${reference}.` }];
  return JSON.stringify({ model, messages: all, ...(streamed ? { stream: true } : {}) });
}

/** A streamed call and the text that its events must contain together. */
export interface StreamedCall {
  readonly body: string;
  readonly text: string;
}

/** Returns a function that creates streamed calls, whose answers have the given number of events. */
export function streamedCalls(events: number): () => StreamedCall {
  const next = callsOfApplication(0);
  return () => {
    const { body, reference } = next();
    return {
      body: JSON.stringify({ ...body, stream: true, user: reference }),
      text: streamedTokens(reference, events).join(''),
    };
  };
}

/** About the length of a token, so that the text is long enough for all events. */
const MOST_TOKEN_LENGTH = 8;
/** Pieces as long as the tokens of vocabularies: parts of words with the space before them, digits in threes, and single signs. */
const TOKEN = / ?[A-Za-z]{1,7}|\d{1,3}| ?[^A-Za-z\d\s]|\s/g;

/** The texts of the events of a streamed answer; the first event has only the role. */
export function streamedTokens(reference: string, events: number): readonly string[] {
  const text = longAnswer(hashOf(reference), events * MOST_TOKEN_LENGTH);
  return ['', ...(text.match(TOKEN) ?? []).slice(0, events - 1)];
}

/** Description of the calls, which is printed beside figures. */
export interface Traffic {
  readonly seed: number;
  /** Percentage and median size of each shape. */
  readonly shapes: readonly { readonly name: TrafficShape; readonly percent: number; readonly bytes: number }[];
  readonly maskedPercent: number;
  /** Percentage of events that have an id of their client. */
  readonly ownIdPercent: number;
}

const SAMPLES = 300;

export function describeTraffic(): Traffic {
  const next = callsOfApplication(0);
  const calls = Array.from({ length: SAMPLES }, next);
  return {
    seed: SEED,
    shapes: SHAPES.map((name) => {
      const sizes = calls
        .filter(({ reference }) => name.startsWith(reference.charAt(0)))
        .map(({ body }) => Buffer.byteLength(JSON.stringify(body)))
        .sort((one, other) => one - other);
      const share = CYCLE.filter((shape) => shape === name).length / CYCLE.length;
      return { name, percent: share * 100, bytes: sizes[Math.floor(sizes.length / 2)] ?? 0 };
    }),
    maskedPercent: 100 / ADDRESSES_EVERY,
    ownIdPercent: 50,
  };
}
