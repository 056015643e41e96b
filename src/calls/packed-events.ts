import { utf8Bytes } from '../contents/index.js';
import { isObject, isString, JsonSyntaxError, parseJson, type ObjectMember } from '../core/index.js';

/** The member of a payload that contains a model's own event, or text, in base64. */
const BYTES = 'bytes';
/** Padding next to it, which hides the event's length from eavesdroppers. */
const PADDING = 'p';
const EMPTY = '""';
/** A quick check before the parsing of a payload; an escape may encode a letter of the name. */
const MAY_HOLD_BYTES = /"bytes"|\\u/;

/** A payload with an event or a text in base64, as JSON text that can be judged. */
export interface PackedEvent {
  /** The event; for a text, an event with this text. Members of the payload besides `bytes` are in its last member, `around`. */
  readonly data: string;
  /** The payload with this event after a change. Undefined if the event is over a limit of JSON, so that it cannot be changed. */
  readonly payload?: (changed: string) => Buffer;
}

/**
 * The event in a payload. Events of Bedrock's models are JSON; those of its agents are plain text.
 * @returns undefined for a payload without base64 of an event, and `unread` for one with bytes that are not text
 */
export function packedEvent(payload: string): PackedEvent | 'unread' | undefined {
  const members = MAY_HOLD_BYTES.test(payload) ? membersOf(payload) : undefined;
  if (members === undefined || members === 'over limit') return undefined;
  const packed = members.filter(({ key, value }) => key.text === BYTES && isString(value));
  const [member] = packed;
  if (member === undefined) return undefined;
  const content = isString(member.value) && packed.length === 1 ? textInBase64(member.value.text) : undefined;
  if (content === undefined) return 'unread';
  const own = membersOf(content);
  if (own === 'over limit') return { data: content };
  const isText = own === undefined;
  const event = isText ? JSON.stringify({ text: content }) : content;
  const rest = withContent(payload, member, EMPTY);
  const isShown = members.some(({ key: { text } }) => text !== BYTES && text !== PADDING);
  const at = members.indexOf(member);
  return {
    data: isShown ? withRest(event, own?.length === 0, rest) : event,
    payload: (changed) => {
      const parts = isShown ? withoutRest(changed) : { event: changed, rest };
      const place = membersIn(parts.rest)[at];
      if (place === undefined) throw new Error('a changed payload has lost a member');
      const base64 = utf8Bytes(isText ? textIn(parts.event) : parts.event).toString('base64');
      return utf8Bytes(withContent(parts.rest, place, `"${base64}"`));
    },
  };
}

/** An object in JSON with the payload as its last member. */
function withRest(event: string, isEmpty: boolean, rest: string): string {
  return `${event.slice(0, event.lastIndexOf('}'))}${isEmpty ? '' : ','}"around":${rest}}`;
}

function withoutRest(data: string): { readonly event: string; readonly rest: string } {
  const [last, before] = membersIn(data).toReversed();
  if (last === undefined) throw new Error('a changed event has lost its last member');
  const end = before?.end ?? data.indexOf('{') + 1;
  return { event: `${data.slice(0, end)}}`, rest: data.slice(last.start, last.end) };
}

function withContent(payload: string, { start, end }: ObjectMember, content: string): string {
  return payload.slice(0, start) + content + payload.slice(end);
}

function textIn(event: string): string {
  const [member] = membersIn(event);
  if (member === undefined || !isString(member.value)) throw new Error('a changed event has lost its text');
  return member.value.text;
}

function textInBase64(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64');
  const text = bytes.toString('utf8');
  return bytes.toString('base64') === base64 && Buffer.from(text).equals(bytes) ? text : undefined;
}

function membersIn(json: string): readonly ObjectMember[] {
  const members = membersOf(json);
  return members === undefined || members === 'over limit' ? [] : members;
}

/** The members of an object in JSON; undefined for any other text. */
function membersOf(json: string): readonly ObjectMember[] | 'over limit' | undefined {
  try {
    const { root } = parseJson(json, { nonFinite: true });
    return isObject(root) ? root.members : undefined;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return error.overLimit ? 'over limit' : undefined;
  }
}
