import { isObject, isString, lastMemberOf, memberOf, membersNamed, type ObjectNode } from '../json/json-node.js';

/** Members of Responses and of Gemini that contain a signature, wherever they occur. */
const SIGNATURES: ReadonlySet<string> = new Set(['encrypted_content', 'thoughtSignature', 'thought_signature']);
/** Types of blocks that Anthropic always signs; in a stream, the signature follows the text. */
const SIGNED_TYPE = /^(?:redacted_thinking|thinking|thinking_delta|signature_delta)$/;
/** All names that `isSigned` reads, in lower case. */
const SIGNING = [...SIGNATURES, 'extra_content', 'type', 'signature', 'thinking', 'data'].map((name) =>
  name.toLowerCase(),
);

/**
 * Whether a provider signed the content of an object: the provider rejects the block if a single character was changed. Thinking blocks
 * count only if their `thinking` is a text; thinking blocks of other vendors have an unsigned list of parts instead.
 */
export function isSigned(node: ObjectNode): boolean {
  const members = node.index === undefined ? node.members : membersNamed(node, SIGNING);
  let type: string | undefined;
  let isSignable = false;
  let hasSignature = false;
  for (const { key, value } of members) {
    if (key.text === 'extra_content' && isObject(value) && signsCall(value)) return true;
    if (!isString(value)) continue;
    if (key.text === 'type') type = value.text;
    else if (value.text !== '' && SIGNATURES.has(key.text)) return true;
    else if (key.text === 'signature') hasSignature ||= value.text !== '';
    isSignable ||= key.text === 'thinking' || key.text === 'data';
  }
  if (type !== undefined && SIGNED_TYPE.test(type)) return isSignable || hasSignature;
  // `reasoning.text` of routers, and the `reasoningText` of Bedrock.
  return hasSignature && (type === undefined ? lastMemberOf(node, 'text') !== undefined : type.startsWith('reasoning'));
}

/** Whether an object contains a signature, including one for content of other events. */
export function holdsSignature(node: ObjectNode): boolean {
  const members = node.index === undefined ? node.members : membersNamed(node, ['signature']);
  return members.some(({ key, value }) => key.text === 'signature' && isString(value) && value.text !== '');
}

/** Whether an `extra_content` contains Gemini's signature of a call, as in chat completions: `{google: {thought_signature}}`. */
function signsCall(extra: ObjectNode): boolean {
  const google = memberOf(extra, 'google');
  return isObject(google) && google.members.some(({ key, value }) => SIGNATURES.has(key.text) && isString(value));
}
