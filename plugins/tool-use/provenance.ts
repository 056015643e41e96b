import type { DecodedCall, FactValue, JsonValue, StructureContext, ToolCall } from '../../src/core/plugin-api.js';
import { SESSIONS, Unknown } from '../../src/core/plugin-api.js';
import { destinationsIn, destinationsOfArguments, type Destination, type DestinationKind } from './destinations.js';
import { SINK_EFFECTS, type Effect } from './effects.js';
import { agrees, asksForGuests, asksForWeb, intentFor, type Intent } from './intent.js';
import type { Session } from './history.js';

export const SIGNALS = [
  'unrequested_effect',
  'delegated',
  'unstated_destination',
  'untrusted_destination',
  'other_destination_stated',
] as const;
export type Signal = (typeof SIGNALS)[number];

/** The origin of one call's arguments, and the likelihood that an instruction of someone other than the user caused the call. */
export interface Provenance {
  /** Kinds of the destinations in the arguments. */
  readonly kinds: readonly DestinationKind[];
  /** Number of destinations named neither by the user nor by the system prompt. */
  readonly unstated: number;
  /** Number of the `unstated` destinations that a tool result named. */
  readonly untrusted: number;
  readonly untrustedKinds: readonly DestinationKind[];
  readonly signals: readonly Signal[];
  /** 0 to 1: likelihood that the call follows an instruction that the user did not give. */
  readonly hijackScore: number;
  /** False if the arguments may contain further destinations: then the numbers are lower bounds. */
  readonly isComplete: boolean;
  /** False if the request has no readable words of the user, without which signals and score mean nothing. */
  readonly isSpoken: boolean;
}

/** A fact about destinations. If there may be further destinations, conditions that these could change are unknown. */
export function sureIf(isComplete: boolean, value: FactValue): FactValue {
  return isComplete ? value : Unknown.atLeast('tool-use', value);
}

/** Knowledge from outside the conversation. */
interface KnownBefore extends Pick<StructureContext, 'once'> {
  readonly trustedHosts: readonly string[];
  /** Whether an address was named earlier in the session. */
  readonly isNamedBefore?: (address: string) => boolean;
}

/**
 * Facts about a call without a conversation: the kinds of its addresses, and the number of addresses not named in the session. This
 * number is unknown if the session is unknown or truncated.
 */
export function destinationFacts(
  toolCall: ToolCall,
  effect: Effect,
  session: Session,
  trustedHosts: readonly string[],
): { readonly destination_kinds: FactValue; readonly unstated_destinations: FactValue } {
  const { destinations: wanted, isComplete } = destinationsOfArguments(toolCall, effect === 'execute');
  const strange = wanted.filter((destination) => !isTrustedHost(destination, trustedHosts));
  return {
    destination_kinds: sureIf(isComplete, kindsOf(wanted)),
    unstated_destinations: unstatedIn(session, strange, isComplete),
  };
}

function unstatedIn(session: Session, strange: readonly Destination[], isComplete: boolean): FactValue {
  if (session instanceof Unknown) return strange.length === 0 ? sureIf(isComplete, 0) : session;
  const unstated = strange.filter((destination) => !session.hasNamed(keyOf(destination))).length;
  if (unstated > 0 && session.isCut) return new Unknown('unavailable', SESSIONS.tooLong);
  return sureIf(isComplete, unstated);
}

/** The addresses named by the user and the operator in a conversation, in the form stored in a session. */
export function namedIn(conversation: DecodedCall): string[] {
  const { keys, mailHosts } = knownOf(destinationsIn(textOf(conversation, ['user', 'system'])));
  return [...new Set([...keys, ...[...mailHosts].map((value) => keyOf({ kind: 'url', value }))])];
}

/**
 * Compares a tool call with the conversation in which it was made. The words of the user (role `user`) and of the operator (role
 * `system`) are trusted, tool results are not. Past answers of the model are not used, since they can repeat tool results.
 */
export function provenanceOf(
  call: ToolCall,
  effect: Effect,
  conversation: DecodedCall,
  { trustedHosts, once = (_name, make) => make(), isNamedBefore = () => false }: KnownBefore,
): Provenance {
  const said = once('tool-use: what was said', () => saidIn(conversation));
  const { trusted, returned } = said;
  const { destinations: wanted, isComplete } = destinationsOfArguments(call, effect === 'execute');
  const unstated = wanted.filter(
    (destination) =>
      !covers(trusted, destination) && !isTrustedHost(destination, trustedHosts) && !isNamedBefore(keyOf(destination)),
  );
  const untrusted = unstated.filter((destination) => covers(returned, destination));
  const judged = judge(call.args, effect, unstated, {
    ...said,
    intent: once(`tool-use: intent ${effect}`, () => intentIn(conversation, effect, said.spoken)),
  });
  const signals: Signal[] = untrusted.length > 0 ? [...judged.signals, 'untrusted_destination'] : [...judged.signals];
  return {
    kinds: kindsOf(wanted),
    unstated: unstated.length,
    untrusted: untrusted.length,
    untrustedKinds: kindsOf(untrusted),
    signals: signals.sort(),
    hijackScore: untrusted.length > 0 && judged.score > 0 ? Math.min(1, judged.score + 0.05) : judged.score,
    isComplete,
    isSpoken: said.spoken.trim() !== '',
  };
}

function saidIn(conversation: DecodedCall) {
  const spoken = textOf(conversation, ['user']);
  return {
    spoken,
    words: wordsOf(spoken),
    trusted: knownOf(destinationsIn(`${spoken}\n${textOf(conversation, ['system'])}`)),
    returned: knownOf(destinationsIn(textOf(conversation, ['tool_result']))),
  };
}

/** Kinds of destinations to which data or money can go; a path or a phone number alone is too weak a signal. */
const CARRIERS: ReadonlySet<DestinationKind> = new Set<DestinationKind>(['email', 'url', 'account']);

/** Data about the user's request. */
interface Said {
  readonly spoken: string;
  /** Words of `spoken` in lower case, without addresses. */
  readonly words: ReadonlySet<string>;
  /** Destinations named by the user or the operator. */
  readonly trusted: Known;
  readonly intent: Intent;
}

/** After a "yes" to a proposal the intent is unclear, because the user's own words do not contain the proposal. */
function intentIn(conversation: DecodedCall, effect: Effect, spoken: string): Intent {
  if (!SINK_EFFECTS.has(effect) && effect !== 'write') return 'unclear';
  const intent = intentFor(effect, spoken);
  const proposed = conversation.segments.some(({ role }) => role === 'assistant');
  const last = conversation.segments.findLast(({ role }) => role === 'user')?.text ?? '';
  return intent === 'not_asked' && proposed && agrees(last) ? 'unclear' : intent;
}

function judge(
  args: JsonValue | undefined,
  effect: Effect,
  unstated: readonly Destination[],
  { spoken, words, trusted, intent }: Said,
): { score: number; signals: Signal[] } {
  const carriers = unstated.filter((destination) => CARRIERS.has(destination.kind));
  const signals: Signal[] = carriers.length > 0 ? ['unstated_destination'] : [];
  if (spoken.trim() === '') return { score: 0, signals };
  const sameKindStated = carriers.some(({ kind }) => trusted.kinds.has(kind));
  if (sameKindStated) signals.push('other_destination_stated');
  if (intent === 'not_asked') {
    signals.push('unrequested_effect');
    if (carriers.length > 0) return { score: 0.95, signals };
    return { score: effect === 'write' ? 0.7 : effect === 'message' && !carriesText(args) ? 0.5 : 0.85, signals };
  }
  if (intent === 'delegated') signals.push('delegated');
  if (carriers.length === 0) return { score: 0, signals };
  if (intent === 'delegated') return { score: carriers.some(({ kind }) => kind === 'account') ? 0.75 : 0.5, signals };
  return { score: addressScore(effect, carriers, sameKindStated, { spoken, words }), signals };
}

/** Whether the arguments contain a recipient or a text; `send_certificate {user_id, amount}` has neither. */
function carriesText(args: JsonValue | undefined): boolean {
  if (args === null || typeof args !== 'object' || Array.isArray(args)) return true;
  const keys = Object.keys(args);
  return keys.length === 0 || keys.some((key) => MESSAGE_KEY.test(key));
}

const MESSAGE_KEY =
  /recip|receiver|^to$|^cc|channel|body|content|message|text|subject|mail|post|comment|attach|url|title/i;

/** The score if the user asked for the effect, or may have, but did not name the address. */
function addressScore(
  effect: Effect,
  carriers: readonly Destination[],
  sameKindStated: boolean,
  { spoken, words }: Pick<Said, 'spoken' | 'words'>,
): number {
  if (carriers.every((carrier) => isNamed(carrier, words))) return 0.3;
  if (!SINK_EFFECTS.has(effect)) return sameKindStated ? 0.6 : 0.2;
  if (sameKindStated) return 0.8;
  // Money to an account, or data to a web page, that the user did not mention.
  if (carriers.some((carrier) => carrier.kind === 'account')) return 0.75;
  if (carriers.some((carrier) => carrier.kind === 'url') && !asksForWeb(spoken)) return 0.75;
  if (effect === 'book' && !asksForGuests(spoken)) return 0.75;
  return 0.55;
}

/** Whether the user named the owner of the address: "invite Dora" and `dora@gmail.example`. */
function isNamed(destination: Destination, words: ReadonlySet<string>): boolean {
  if (destination.kind !== 'email' && destination.kind !== 'url') return false;
  return destination.value
    .split(/[^\p{L}]+/u)
    .filter((part) => part.length >= 4 && !GENERIC_PARTS.has(part))
    .some((part) => words.has(part));
}

function wordsOf(spoken: string): ReadonlySet<string> {
  return new Set(
    spoken
      .toLowerCase()
      .replace(ADDRESSES, ' ')
      .split(/[^\p{L}]+/u),
  );
}

/** Addresses are removed from the words: a stated address must not justify another address with the same name. */
const ADDRESSES = /\S{1,256}[@.][\p{L}\p{N}]\S{0,256}/gu;

const GENERIC_PARTS = new Set([
  'gmail',
  'mail',
  'email',
  'outlook',
  'hotmail',
  'yahoo',
  'google',
  'example',
  'info',
  'support',
  'contact',
  'admin',
  'site',
  'website',
  'online',
  'https',
  'company',
  'team',
  'user',
  'test',
]);

/** A set of named destinations. */
interface Known {
  /** Destinations as `kind:value`. */
  readonly keys: ReadonlySet<string>;
  readonly kinds: ReadonlySet<DestinationKind>;
  /** Hosts of the named e-mail addresses. */
  readonly mailHosts: ReadonlySet<string>;
}

function covers({ keys, mailHosts }: Known, { kind, value }: Destination): boolean {
  return keys.has(keyOf({ kind, value })) || (kind === 'url' && mailHosts.has(value));
}

function keyOf({ kind, value }: Destination): string {
  return `${kind}:${value}`;
}

function isTrustedHost(destination: Destination, hosts: readonly string[]): boolean {
  const name =
    destination.kind === 'email' ? destination.value.slice(destination.value.lastIndexOf('@') + 1) : destination.value;
  if (destination.kind !== 'email' && destination.kind !== 'url') return false;
  return hosts.some((host) => name === host || name.endsWith(`.${host}`));
}

function knownOf(destinations: readonly Destination[]): Known {
  return {
    keys: new Set(destinations.map(keyOf)),
    kinds: new Set(destinations.map(({ kind }) => kind)),
    mailHosts: new Set(
      destinations.flatMap(({ kind, value }) => (kind === 'email' ? [value.slice(value.lastIndexOf('@') + 1)] : [])),
    ),
  };
}

function kindsOf(destinations: readonly Destination[]): DestinationKind[] {
  return [...new Set(destinations.map(({ kind }) => kind))].sort();
}

function textOf(conversation: DecodedCall, roles: readonly string[]): string {
  return conversation.segments
    .filter((segment) => roles.includes(segment.role))
    .map((segment) => segment.text)
    .join('\n');
}
