/** The messages of a stored call in order, for every provider's format. */
import { isFields, memberOf, type Fields } from './conversation-fields.ts';
import {
  partOf,
  partsOf,
  reasoning,
  reasoningOrEncrypted,
  result,
  text,
  tool,
  type Part,
} from './conversation-parts.ts';

export interface Turn {
  readonly role: string;
  readonly parts: readonly Part[];
}

/** `text`: the format does not tell who speaks. */
type Speaker = 'system' | 'user' | 'assistant' | 'text';

const SYSTEM = ['system', 'instructions', 'systemInstruction', 'system_instruction'];
/** Lists of messages and single texts, with the speaker of items without a role; also those of Bedrock's models, Cohere and Ollama. */
const LISTS: readonly (readonly [field: string, speaker: Speaker])[] = [
  ['messages', 'user'],
  ['chat_history', 'user'],
  ['message', 'text'],
  ['input', 'user'],
  ['inputs', 'user'],
  ['inputText', 'user'],
  ['contents', 'user'],
  ['requests', 'user'],
  ['prompt', 'user'],
  ['output', 'assistant'],
  ['outputs', 'assistant'],
  ['choices', 'assistant'],
  ['candidates', 'assistant'],
  ['generations', 'assistant'],
  ['results', 'assistant'],
  ['generation', 'assistant'],
  ['completion', 'assistant'],
  ['response', 'assistant'],
];
/** Members with the text of an item without a role. */
const TEXTS = ['text', 'outputText', 'generated_text'];
const TOOL = 'tool';

/**
 * A payload in an unknown format is one turn with its data: otherwise its texts would seem not to be stored.
 *
 * @param payload the stored payload; of any shape, because clients choose it
 */
export function turnsOf(payload: unknown): readonly Turn[] {
  const turns = withSources(turnsIn(payload).flatMap(splitTurn));
  if (turns.length > 0 || !isFields(payload) || !hasWords(payload)) return turns;
  return [turn('data', [{ kind: 'value', value: payload, path: '' }])];
}

/** Whether a value contains a text of several words: ids, names of models and encoded data are none. */
function hasWords(value: object): boolean {
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string' && /\S\s+\S/.test(next)) return true;
    if (typeof next === 'object' && next !== null) for (const member of Object.values(next)) left.push(member);
  }
  return false;
}

function turnsIn(payload: unknown): readonly Turn[] {
  if (!isFields(payload)) return otherTurns(payload);
  if (payload['stream'] === true && Array.isArray(payload['texts'])) return streamedTurns(payload['texts']);
  return turnsOfBody(payload, '');
}

/** The results of tools have turns of their own, because neither the user nor the assistant said them. Empty turns are left out. */
function splitTurn({ role, parts }: Turn): readonly Turn[] {
  const turns: { readonly role: string; readonly parts: Part[] }[] = [];
  for (const part of parts) {
    const own = part.kind === 'result' ? TOOL : role;
    const last = turns.at(-1);
    if (last?.role === own) last.parts.push(part);
    else turns.push({ role: own, parts: [part] });
  }
  return turns;
}

/** Names the tools of the results that only name the id of a call before them. */
function withSources(turns: readonly Turn[]): readonly Turn[] {
  const names = new Map<string, string>();
  return turns.map(({ role, parts }) =>
    turn(
      role,
      parts.map((part) => {
        if (part.kind === 'tool' && part.id !== undefined) names.set(part.id, part.name);
        if (part.kind !== 'result' || part.from !== undefined || part.id === undefined) return part;
        return { ...part, from: names.get(part.id) };
      }),
    ),
  );
}

/** @param before the path of the body with its dot; empty for the payload itself */
function turnsOfBody(body: Fields, before: string): readonly Turn[] {
  const turns: Turn[] = [];
  const system = memberOf(body, SYSTEM);
  if (system !== undefined)
    turns.push(turn('system', turnOfContent(system.value, `${before}${system.name}`, 'system').parts));
  const counted = memberOf(body, ['generateContentRequest', 'generate_content_request']);
  if (isFields(counted?.value)) turns.push(...turnsOfBody(counted.value, `${before}${counted.name}.`));
  for (const [field, speaker] of LISTS) {
    const list = body[field];
    if (typeof list === 'string') turns.push(turn(speaker, partsOf(list, `${before}${field}`)));
    else if (Array.isArray(list))
      list.forEach((item: unknown, index) => turns.push(...turnOf(item, `${before}${field}[${index}]`, speaker)));
    else if (isContent(list)) turns.push(turnOfContent(list, `${before}${field}`, speaker));
    else if (isMessage(list)) turns.push(...turnOf(list, `${before}${field}`, speaker));
  }
  const { content } = body;
  // A content of Gemini outside a list is a text to be embedded; others are answers.
  if (content !== undefined)
    turns.push(turnOfContent(content, `${before}content`, isContent(content) ? 'user' : roleOf(body, 'assistant')));
  if (typeof body['text'] === 'string') turns.push(turn('assistant', [text(body['text'], `${before}text`)]));
  if (typeof body['tool'] === 'string')
    turns.push(turn(TOOL, [tool(body['tool'], body['arguments'], `${before}arguments`)]));
  const answer = result(body['tool'], undefined, body['result'], `${before}result`);
  if (answer.parts.length > 0) turns.push(turn(TOOL, [answer]));
  return turns;
}

const turn = (role: string, parts: readonly Part[]): Turn => ({ role, parts });

/** Other names of the assistant: Gemini's and Cohere's. */
const ASSISTANTS = new Set(['model', 'chatbot']);

/** The role as it is written, in lower case. */
function roleOf({ role }: Fields, otherwise: string): string {
  const written = String(role ?? otherwise).toLowerCase();
  return ASSISTANTS.has(written) ? 'assistant' : written;
}

/** Payloads that are not an object: a text, or an array of texts and values. */
function otherTurns(payload: unknown): readonly Turn[] {
  if (typeof payload === 'string') return [turn('text', [text(payload, '$')])];
  if (!Array.isArray(payload)) return [];
  return payload.map((item: unknown, index) =>
    turn('text', [typeof item === 'string' ? text(item, `[${index}]`) : tool('data', item, `[${index}]`)]),
  );
}

/** The joined texts of a stream; consecutive texts of one role form one turn. */
function streamedTurns(texts: readonly unknown[]): readonly Turn[] {
  const turns: { readonly role: string; readonly parts: Part[] }[] = [];
  texts.forEach((one, index) => {
    if (!isFields(one) || typeof one['text'] !== 'string' || one['text'] === '') return;
    const said = String(one['role'] ?? 'assistant');
    const [kind, role] = said === 'reasoning' ? (['reasoning', 'assistant'] as const) : (['text', said] as const);
    const part: Part = { kind, text: one['text'], path: `texts[${index}].text` };
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(part);
    else turns.push({ role, parts: [part] });
  });
  return turns;
}

/** @param speaker the role of an item without one */
function turnOf(item: unknown, path: string, speaker: Speaker): readonly Turn[] {
  if (typeof item === 'string') return [turn(speaker, [text(item, path)])];
  if (!isFields(item)) return [];
  if (isFields(item['message'])) return turnOf(item['message'], `${path}.message`, speaker);
  if (isContent(item)) return [turnOfContent(item, path, speaker)];
  // A candidate of Gemini, or one of several requests, holds its content.
  if (isContent(item['content'])) return [turnOfContent(item['content'], `${path}.content`, speaker)];
  const answer = memberOf(item, TEXTS);
  if (typeof answer?.value === 'string' && item['role'] === undefined)
    return [turn('assistant', [text(answer.value, `${path}.${answer.name}`)])];
  const parts = item['role'] === undefined ? partsOfItem(item, path) : undefined;
  if (parts !== undefined) return [turn('assistant', parts)];
  const role = roleOf(item, 'assistant');
  if (role === TOOL || role === 'function')
    return [turn(TOOL, [result(item['name'], item['tool_call_id'], item['content'], `${path}.content`)])];
  const content = memberOf(item, ['content', 'message']);
  const said = partsOf(content?.value, `${path}.${content?.name ?? 'content'}`);
  return [turn(role, [...reasoningIn(item, path), ...said, ...callsOf(item, path)])];
}

/** An item of OpenAI's Responses that is not a message: reasoning, a call of a tool, or its result. Undefined: it is none of these. */
function partsOfItem(item: Fields, path: string): readonly Part[] | undefined {
  const type = String(item['type'] ?? '');
  if (type === 'reasoning') {
    const parts = ['summary', 'content'].flatMap((name) => reasoning(item[name], `${path}.${name}`));
    return typeof item['encrypted_content'] === 'string' ? reasoningOrEncrypted(parts) : parts;
  }
  const output = result(item['name'], item['call_id'], item['output'], `${path}.output`);
  if (type.endsWith('_call_output')) return [output];
  if (!type.endsWith('_call')) return undefined;
  const args = memberOf(item, ['arguments', 'input', 'action']);
  const id = item['call_id'] ?? item['id'];
  const name = item['name'] ?? type.replace(/_call$/, '');
  const call = tool(name, args?.value, `${path}.${args?.name ?? 'arguments'}`, id);
  // Calls that the provider itself makes contain their result.
  return output.parts.length > 0 ? [call, { ...output, from: String(name) }] : [call];
}

/** Members of a message with reasoning: those of different providers, of which a message may repeat one in another. */
const REASONING = ['reasoning_content', 'reasoning', 'thinking', 'reasoning_details'];

function reasoningIn(message: Fields, path: string): readonly Part[] {
  const found = REASONING.map((name) => reasoning(message[name], `${path}.${name}`));
  return found.find((parts) => parts.length > 0) ?? [];
}

/** The tool calls of a message of OpenAI's chat completions; earlier versions had a single one. */
function callsOf({ tool_calls: calls, function_call: single }: Fields, path: string): readonly Part[] {
  const listed: readonly unknown[] = Array.isArray(calls) ? calls : [];
  return [
    ...listed.flatMap((call, index) => callOf(call, `${path}.tool_calls[${index}]`)),
    ...callOf(single, `${path}.function_call`),
  ];
}

function callOf(call: unknown, path: string): readonly Part[] {
  if (!isFields(call)) return [];
  const nested = memberOf(call, ['function', 'custom']);
  const named = isFields(nested?.value) ? nested.value : call;
  const at = named === call ? path : `${path}.${nested?.name ?? ''}`;
  const args = memberOf(named, ['arguments', 'input']);
  return [tool(named['name'], args?.value, `${at}.${args?.name ?? 'arguments'}`, call['id'])];
}

/** Whether a value is a content of Gemini: `{role, parts}`, with one part or a list of them. */
const isContent = (value: unknown): value is Fields => isFields(value) && typeof value['parts'] === 'object';

/** Whether a value is the only message of an answer, directly or, as in Bedrock's Converse, within the output. */
const isMessage = (value: unknown): value is Fields =>
  isFields(value) && (isFields(value['message']) || value['role'] !== undefined);

function turnOfContent(content: unknown, path: string, speaker: string): Turn {
  if (!isContent(content)) return turn(speaker, partsOf(content, path));
  const { parts } = content;
  const read = Array.isArray(parts) ? partsOf(parts, `${path}.parts`) : partOf(parts, `${path}.parts`);
  return turn(roleOf(content, speaker), read);
}
