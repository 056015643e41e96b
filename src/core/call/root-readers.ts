import { isArray, isObject, memberOf, type ObjectNode } from '../json/json-node.js';
import { BLOCK_FIELDS, CALL_MEMBERS, callMember, content } from './block-readers.js';
import type { FieldReader, FieldReaders } from './call-collector.js';
import { as, listOf, opaque, plain, PLAIN_FIELDS, plainObject, text } from './scalar-readers.js';
import { withTokenTexts } from './token-texts.js';
import { declaredTool } from './tool-readers.js';

/** Reads past messages: their tool calls were made earlier and are not judged again. */
const history: FieldReader = (collector, node, place) => collector.ofPast(() => content(collector, node, place));

/**
 * Root fields of a request of any provider: chat completions, completions, responses, embeddings, messages, and `ai.request`. A field
 * of one provider can be read the same way in requests of the others.
 */
export const REQUEST_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ...PLAIN_FIELDS,
  ['messages', history],
  ['input', as('user', history)],
  ['prompt', as('user', content)],
  ['suffix', as('user', text)],
  ['system', as('system', content)],
  ['instructions', as('system', content)],
  ['tools', listOf(declaredTool)],
  ['functions', listOf(declaredTool)],
  ['metadata', as('metadata', text)],
  ['user', as('metadata', text)],
  ['cache_control', plainObject],
  ['stream_options', plainObject],
]);

const choice: FieldReader = (collector, node, place) =>
  isObject(node)
    ? withTokenTexts(collector, node, place, ['logprobs'], () => collector.fields(node, place, CHOICE_FIELDS))
    : collector.freeform(node, place);

export const CHOICE_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ...BLOCK_FIELDS,
  ['message', content],
  ['delta', content],
]);

export const EMBEDDING_FIELDS: FieldReaders = new Map<string, FieldReader>([...PLAIN_FIELDS, ['embedding', opaque]]);

const embedding: FieldReader = (collector, node, place) => {
  const isEmbedding = isObject(node) && memberOf(node, 'embedding') !== undefined;
  return isEmbedding ? collector.fields(node, place, EMBEDDING_FIELDS) : collector.other(node, place);
};

/** Reads the output of an `ai.response`: a text, parts of either style, a message, or a provider's whole answer. */
const output: FieldReader = (collector, node, place) => {
  const whole = isObject(node) && (memberOf(node, 'choices') ?? memberOf(node, 'output')) !== undefined;
  return whole && memberOf(node, 'type') === undefined
    ? collector.fields(node, place, ANSWER_FIELDS)
    : content(collector, node, place);
};

/** Reads an error. Some providers put the answer into it that they refused. */
const error: FieldReader = (collector, node, place) =>
  collector.calls === 'new' && isObject(node) && node.members.some(({ key }) => callMember(key.text) !== undefined)
    ? collector.fields(node, place, CALL_MEMBERS)
    : collector.freeform(node, place);

/** Root fields of an answer of any provider, and of `ai.response`. */
export const ANSWER_FIELDS: FieldReaders = new Map<string, FieldReader>([
  ...BLOCK_FIELDS,
  ['choices', listOf(choice)],
  ['message', content],
  ['output', output],
  ['output_text', text],
  // Parts of the request that an answer repeats. For `messages`, see `answerFieldsOf`.
  ['messages', history],
  ['input', as('user', history)],
  ['instructions', as('system', history)],
  ['tools', as('tool_declaration', text)],
  ['metadata', as('metadata', text)],
  ['error', as('error', error)],
  ['stop_sequence', text],
  ['usage', plainObject],
  ['data', listOf(embedding)],
  ['container', plain],
]);

/** Lists that identify an answer of a provider. */
const LISTS_OF_ANSWERS = ['choices', 'candidates', 'output'];

/** Whether an object contains one of the lists that identify an answer of a provider. */
export function holdsAnswers(node: ObjectNode): boolean {
  return LISTS_OF_ANSWERS.some((key) => isArray(memberOf(node, key)));
}

/**
 * The readers of the root fields of an answer. Without a list of answers, `messages` do not repeat the request: they are the answer, as in
 * the state that an agent server such as LangGraph returns, so their tool calls are new.
 * @param fields the fields of answers in the dialect
 */
export function answerFieldsOf(root: ObjectNode, fields: FieldReaders): FieldReaders {
  if (memberOf(root, 'messages') === undefined || holdsAnswers(root)) return fields;
  return new Map([...fields, ['messages', content]]);
}
