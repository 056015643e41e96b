/** The messages of a stored call in order, for every provider's format. */

export type Part =
  | { readonly kind: 'text'; readonly text: string; readonly path: string }
  | { readonly kind: 'tool'; readonly name: string; readonly value: unknown; readonly path: string }
  | { readonly kind: 'other'; readonly name: string };

export interface Turn {
  readonly role: string;
  readonly parts: readonly Part[];
}

type Fields = Readonly<Record<string, unknown>>;
type Speaker = 'system' | 'user' | 'assistant';
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const SYSTEM = ['system', 'instructions', 'systemInstruction', 'system_instruction'];
/** The lists of messages, with the speaker of items without a role. */
const LISTS: readonly (readonly [field: string, speaker: Speaker])[] = [
  ['messages', 'user'],
  ['input', 'user'],
  ['contents', 'user'],
  ['requests', 'user'],
  ['output', 'assistant'],
  ['choices', 'assistant'],
  ['candidates', 'assistant'],
];

/** @param payload the stored payload; of any shape, because clients choose it */
export function turnsOf(payload: unknown): readonly Turn[] {
  if (!isFields(payload)) return otherTurns(payload);
  if (payload['stream'] === true && Array.isArray(payload['texts'])) return streamedTurns(payload['texts']);
  return turnsOfBody(payload, '').filter(({ parts }) => parts.length > 0);
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
    if (typeof list === 'string') turns.push(turn(speaker, [text(list, `${before}${field}`)]));
    else if (Array.isArray(list))
      list.forEach((item: unknown, index) => turns.push(...turnOf(item, `${before}${field}[${index}]`, speaker)));
    else if (isContent(list)) turns.push(turnOfContent(list, `${before}${field}`, speaker));
  }
  if (typeof body['prompt'] === 'string') turns.push(turn('user', [text(body['prompt'], `${before}prompt`)]));
  const { content } = body;
  // A content of Gemini outside a list is a text to be embedded; others are answers.
  if (content !== undefined)
    turns.push(turnOfContent(content, `${before}content`, isContent(content) ? 'user' : roleOf(body, 'assistant')));
  if (typeof body['text'] === 'string') turns.push(turn('assistant', [text(body['text'], `${before}text`)]));
  if (typeof body['tool'] === 'string')
    turns.push(turn('tool', [tool(body['tool'], body['arguments'], `${before}arguments`)]));
  if (body['result'] !== undefined) turns.push(turn('result', partsOf(body['result'], `${before}result`)));
  return turns;
}

const turn = (role: string, parts: readonly Part[]): Turn => ({ role, parts });
const text = (value: string, path: string): Part => ({ kind: 'text', text: value, path });
const tool = (name: unknown, value: unknown, path: string): Part => ({
  kind: 'tool',
  name: String(name),
  value: value ?? {},
  path,
});

/** The first of these members that is present, with its name. Gemini accepts each name in two spellings. */
function memberOf(
  fields: Fields,
  names: readonly string[],
): { readonly name: string; readonly value: unknown } | undefined {
  const name = names.find((each) => fields[each] !== undefined && fields[each] !== null);
  return name === undefined ? undefined : { name, value: fields[name] };
}

/** The role as it is written; Gemini calls the assistant `model`. */
function roleOf({ role }: Fields, otherwise: string): string {
  return role === 'model' ? 'assistant' : String(role ?? otherwise);
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
    const role = String(one['role'] ?? 'assistant');
    const part = text(one['text'], `texts[${index}].text`);
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
  if (typeof item['text'] === 'string' && item['role'] === undefined)
    return [turn('assistant', [text(item['text'], `${path}.text`)])];
  if (item['type'] === 'function_call')
    return [turn('tool', [tool(item['name'], item['arguments'], `${path}.arguments`)])];
  if (item['type'] === 'function_call_output') return [turn('tool', partsOf(item['output'], `${path}.output`))];
  return [turn(roleOf(item, 'assistant'), [...partsOf(item['content'], `${path}.content`), ...callsOf(item, path)])];
}

/** The tool calls of a message of OpenAI's chat completions. */
function callsOf({ tool_calls: calls }: Fields, path: string): readonly Part[] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: unknown, index): Part[] => {
    const isNested = isFields(call) && isFields(call['function']);
    const named = isNested ? call['function'] : call;
    const at = `${path}.tool_calls[${index}]${isNested ? '.function' : ''}`;
    return isFields(named) ? [tool(named['name'], named['arguments'], `${at}.arguments`)] : [];
  });
}

/** Whether a value is a content of Gemini: `{role, parts}`, with one part or a list of them. */
const isContent = (value: unknown): value is Fields => isFields(value) && typeof value['parts'] === 'object';

function turnOfContent(content: unknown, path: string, speaker: string): Turn {
  if (!isContent(content)) return turn(speaker, partsOf(content, path));
  const { parts } = content;
  const list = Array.isArray(parts) ? (parts as readonly unknown[]) : undefined;
  const read = list === undefined ? partOf(parts, `${path}.parts`) : partsOf(list, `${path}.parts`);
  const areResults =
    list !== undefined && list.length > 0 && list.every((each) => isFields(each) && responseOf(each) !== undefined);
  return turn(areResults ? 'tool' : roleOf(content, speaker), read);
}

function partsOf(content: unknown, path: string): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [text(content, path)];
  if (!Array.isArray(content)) return isFields(content) ? [tool('data', content, path)] : [];
  return content.flatMap((part: unknown, index) => partOf(part, `${path}[${index}]`));
}

function partOf(part: unknown, at: string): readonly Part[] {
  if (typeof part === 'string') return [text(part, at)];
  if (!isFields(part)) return [];
  if (typeof part['text'] === 'string') return [text(part['text'], `${at}.text`)];
  if (part['type'] === 'tool_use') return [tool(part['name'], part['input'], `${at}.input`)];
  if (part['type'] === 'tool_result') return partsOf(part['content'], `${at}.content`);
  return partOfGemini(part, at) ?? [{ kind: 'other', name: String(part['type'] ?? 'part') }];
}

const responseOf = (part: Fields): ReturnType<typeof memberOf> =>
  memberOf(part, ['functionResponse', 'function_response']);

/** A part that its only member names: https://ai.google.dev/api/caching#Part; undefined: it has none of these members. */
function partOfGemini(part: Fields, at: string): readonly Part[] | undefined {
  const call = memberOf(part, ['functionCall', 'function_call']);
  if (isFields(call?.value)) return [tool(call.value['name'], call.value['args'], `${at}.${call.name}.args`)];
  const response = responseOf(part);
  if (isFields(response?.value))
    return [tool(response.value['name'], response.value['response'], `${at}.${response.name}.response`)];
  const code = memberOf(part, ['executableCode', 'executable_code']);
  if (isFields(code?.value)) return [tool('code', code.value, `${at}.${code.name}`)];
  const result = memberOf(part, ['codeExecutionResult', 'code_execution_result']);
  if (isFields(result?.value)) return partsOf(result.value['output'], `${at}.${result.name}.output`);
  const file = memberOf(part, ['inlineData', 'inline_data', 'fileData', 'file_data']);
  if (!isFields(file?.value)) return undefined;
  return [{ kind: 'other', name: String(memberOf(file.value, ['mimeType', 'mime_type'])?.value ?? 'file') }];
}
