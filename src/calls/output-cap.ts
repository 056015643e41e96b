import { dialectFacts, isObject, type JsonDocument, type TextEdit } from '../core/index.js';
import type { ProxiedCall } from './proxied-call.js';

/**
 * The additions to a request without an output limit, so that the policy's `default_max_tokens` applies.
 *
 * @returns undefined when the request names a limit or generates no text, or when the policy has no default
 */
export function outputCap(
  doc: JsonDocument,
  { policy, target, request }: Pick<ProxiedCall, 'policy' | 'target' | 'request'>,
): TextEdit | undefined {
  const { defaultMaxTokens } = policy.policy;
  if (defaultMaxTokens === undefined || request.maxTokens !== undefined) return undefined;
  if (target.facts.countsOnly === true || target.facts.compacts === true || !isObject(doc.root)) return undefined;
  const isOwn = request.dialect.startsWith(`${target.provider.id}.`);
  return dialectFacts(request.dialect).outputCap?.(doc.root, defaultMaxTokens, isOwn);
}
