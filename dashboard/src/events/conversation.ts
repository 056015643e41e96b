/** What was said, in order, from what is stored of a call; whatever the provider's form. */

export type Part =
  | { readonly kind: 'text'; readonly text: string; readonly path: string }
  | { readonly kind: 'tool'; readonly name: string; readonly text: string }
  | { readonly kind: 'other'; readonly name: string };

export interface Turn {
  readonly role: string;
  readonly parts: readonly Part[];
}

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** @param payload as stored; anything, because it came from outside */
export function turnsOf(payload: unknown): readonly Turn[] {
  if (!isFields(payload)) return typeof payload === 'string' ? [turn('text', [text(payload, '')])] : [];
  const turns: Turn[] = [];
  const system = payload['system'] ?? payload['instructions'];
  if (system !== undefined)
    turns.push(turn('system', partsOf(system, payload['system'] === undefined ? 'instructions' : 'system')));
  for (const field of ['messages', 'input', 'output', 'choices'] as const) {
    const list = payload[field];
    if (typeof list === 'string') turns.push(turn('user', [text(list, field)]));
    else if (Array.isArray(list))
      list.forEach((item: unknown, index) => turns.push(...turnOf(item, `${field}[${index}]`)));
  }
  if (typeof payload['prompt'] === 'string') turns.push(turn('user', [text(payload['prompt'], 'prompt')]));
  if (payload['content'] !== undefined)
    turns.push(turn(String(payload['role'] ?? 'assistant'), partsOf(payload['content'], 'content')));
  if (typeof payload['text'] === 'string') turns.push(turn('assistant', [text(payload['text'], 'text')]));
  if (typeof payload['tool'] === 'string') turns.push(turn('tool', [tool(payload['tool'], payload['arguments'])]));
  if (payload['result'] !== undefined) turns.push(turn('result', partsOf(payload['result'], 'result')));
  return turns.filter(({ parts }) => parts.length > 0);
}

const turn = (role: string, parts: readonly Part[]): Turn => ({ role, parts });
const text = (value: string, path: string): Part => ({ kind: 'text', text: value, path });
const tool = (name: unknown, args: unknown): Part => ({
  kind: 'tool',
  name: String(name),
  text: typeof args === 'string' ? args : JSON.stringify(args, null, 2),
});

function turnOf(item: unknown, path: string): readonly Turn[] {
  if (typeof item === 'string') return [turn('user', [text(item, path)])];
  if (!isFields(item)) return [];
  if (isFields(item['message'])) return turnOf(item['message'], `${path}.message`);
  if (typeof item['text'] === 'string' && item['role'] === undefined)
    return [turn('assistant', [text(item['text'], `${path}.text`)])];
  if (item['type'] === 'function_call') return [turn('tool', [tool(item['name'], item['arguments'])])];
  const parts = [...partsOf(item['content'], `${path}.content`)];
  const calls = item['tool_calls'];
  if (Array.isArray(calls)) {
    for (const call of calls as unknown[]) {
      const named = isFields(call) && isFields(call['function']) ? call['function'] : call;
      if (isFields(named)) parts.push(tool(named['name'], named['arguments']));
    }
  }
  return [turn(String(item['role'] ?? 'assistant'), parts)];
}

function partsOf(content: unknown, path: string): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [text(content, path)];
  if (!Array.isArray(content)) return isFields(content) ? [tool('data', content)] : [];
  return content.flatMap((part: unknown, index): Part[] => {
    const at = `${path}[${index}]`;
    if (typeof part === 'string') return [text(part, at)];
    if (!isFields(part)) return [];
    if (typeof part['text'] === 'string') return [text(part['text'], `${at}.text`)];
    if (part['type'] === 'tool_use') return [tool(part['name'], part['input'])];
    if (part['type'] === 'tool_result') return [...partsOf(part['content'], `${at}.content`)];
    return [{ kind: 'other', name: String(part['type'] ?? 'part') }];
  });
}
