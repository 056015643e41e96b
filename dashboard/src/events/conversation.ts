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
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param payload the stored payload; of any shape, because clients choose it */
export function turnsOf(payload: unknown): readonly Turn[] {
  if (!isFields(payload)) return otherTurns(payload);
  if (payload['stream'] === true && Array.isArray(payload['texts'])) return streamedTurns(payload['texts']);
  const turns: Turn[] = [];
  const system = payload['system'] ?? payload['instructions'];
  if (system !== undefined)
    turns.push(turn('system', partsOf(system, payload['system'] === undefined ? 'instructions' : 'system')));
  for (const field of ['messages', 'input', 'output', 'choices'] as const) {
    const list = payload[field];
    const speaker = field === 'output' || field === 'choices' ? 'assistant' : 'user';
    if (typeof list === 'string') turns.push(turn(speaker, [text(list, field)]));
    else if (Array.isArray(list))
      list.forEach((item: unknown, index) => turns.push(...turnOf(item, `${field}[${index}]`, speaker)));
  }
  if (typeof payload['prompt'] === 'string') turns.push(turn('user', [text(payload['prompt'], 'prompt')]));
  if (payload['content'] !== undefined)
    turns.push(turn(String(payload['role'] ?? 'assistant'), partsOf(payload['content'], 'content')));
  if (typeof payload['text'] === 'string') turns.push(turn('assistant', [text(payload['text'], 'text')]));
  if (typeof payload['tool'] === 'string')
    turns.push(turn('tool', [tool(payload['tool'], payload['arguments'], 'arguments')]));
  if (payload['result'] !== undefined) turns.push(turn('result', partsOf(payload['result'], 'result')));
  return turns.filter(({ parts }) => parts.length > 0);
}

const turn = (role: string, parts: readonly Part[]): Turn => ({ role, parts });
const text = (value: string, path: string): Part => ({ kind: 'text', text: value, path });
const tool = (name: unknown, value: unknown, path: string): Part => ({
  kind: 'tool',
  name: String(name),
  value: value ?? {},
  path,
});

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

/** @param speaker the role of an item that is a plain string */
function turnOf(item: unknown, path: string, speaker: 'user' | 'assistant'): readonly Turn[] {
  if (typeof item === 'string') return [turn(speaker, [text(item, path)])];
  if (!isFields(item)) return [];
  if (isFields(item['message'])) return turnOf(item['message'], `${path}.message`, speaker);
  if (typeof item['text'] === 'string' && item['role'] === undefined)
    return [turn('assistant', [text(item['text'], `${path}.text`)])];
  if (item['type'] === 'function_call')
    return [turn('tool', [tool(item['name'], item['arguments'], `${path}.arguments`)])];
  const parts = [...partsOf(item['content'], `${path}.content`)];
  const calls = item['tool_calls'];
  if (Array.isArray(calls)) {
    (calls as unknown[]).forEach((call, index) => {
      const isNested = isFields(call) && isFields(call['function']);
      const named = isNested ? call['function'] : call;
      const at = `${path}.tool_calls[${index}]${isNested ? '.function' : ''}`;
      if (isFields(named)) parts.push(tool(named['name'], named['arguments'], `${at}.arguments`));
    });
  }
  return [turn(String(item['role'] ?? 'assistant'), parts)];
}

function partsOf(content: unknown, path: string): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [text(content, path)];
  if (!Array.isArray(content)) return isFields(content) ? [tool('data', content, path)] : [];
  return content.flatMap((part: unknown, index): Part[] => {
    const at = `${path}[${index}]`;
    if (typeof part === 'string') return [text(part, at)];
    if (!isFields(part)) return [];
    if (typeof part['text'] === 'string') return [text(part['text'], `${at}.text`)];
    if (part['type'] === 'tool_use') return [tool(part['name'], part['input'], `${at}.input`)];
    if (part['type'] === 'tool_result') return [...partsOf(part['content'], `${at}.content`)];
    return [{ kind: 'other', name: String(part['type'] ?? 'part') }];
  });
}
