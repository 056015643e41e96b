import { isObject, type Dialect, type JsonDocument, type TextEdit } from '../core/index.js';
import type { ProxiedCall } from './proxied-call.js';

/** Under which names a request of this kind can limit its output. */
const NAMES: Partial<Readonly<Record<Dialect, readonly string[]>>> = {
  'openai.chat': ['max_completion_tokens', 'max_tokens'],
  'openai.completions': ['max_tokens'],
  'openai.responses': ['max_output_tokens'],
  'anthropic.messages': ['max_tokens'],
};
const COUNTS_ONLY = /\/count_tokens\/?(?:\?|$)/;

/**
 * What has to be put into a request whose output nothing limits, so that the policy's `default_max_tokens` does. OpenAI
 * itself takes `max_completion_tokens` for all of its models and `max_tokens` only for older ones; other providers that
 * speak its language know `max_tokens`.
 *
 * @returns undefined when the request names a limit, or the policy has none
 */
export function outputCap(
  doc: JsonDocument,
  { policy, target, request }: Pick<ProxiedCall, 'policy' | 'target' | 'request'>,
): TextEdit | undefined {
  const { defaultMaxTokens } = policy.policy;
  const names = NAMES[request.dialect];
  const isCapped = defaultMaxTokens === undefined || request.maxTokens !== undefined;
  if (isCapped || names === undefined || COUNTS_ONLY.test(target.path) || !isObject(doc.root)) return undefined;
  const { members } = doc.root;
  const known = members.filter(({ key }) => names.includes(key.text));
  const empty = known.findLast(({ value }) => value === null);
  if (empty !== undefined) return { start: empty.start, end: empty.end, replacement: String(defaultMaxTokens) };
  // What is there and no number is the provider's to refuse; without any member it has no model either.
  const last = members.at(-1);
  if (known.length > 0 || last === undefined) return undefined;
  const name = target.provider.id === 'openai' ? names[0]! : names.at(-1)!;
  return { start: last.end, end: last.end, replacement: `,${JSON.stringify(name)}:${defaultMaxTokens}` };
}
