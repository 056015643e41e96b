import { isListedModel } from '../budgets/index.js';
import type { NewEvent } from '../events/index.js';
import type { SpanAttributes } from '../telemetry/index.js';

/**
 * The attributes of an event in a trace. The caller chooses the model's name, so it is included only if exactly this name is in
 * the price list: any other name could be a text.
 */
export function spanAttributes({
  id,
  type,
  environment,
  decision,
  provider,
  model,
  usage,
}: Pick<NewEvent, 'id' | 'type' | 'environment' | 'decision' | 'provider' | 'model' | 'usage'>): SpanAttributes {
  return {
    'weir.event.id': id,
    'weir.event.type': type,
    'weir.environment': environment,
    'weir.decision': decision,
    'gen_ai.request.model': isListedModel({ provider, model }) ? model : undefined,
    'gen_ai.usage.input_tokens': usage?.promptTokens,
    'gen_ai.usage.output_tokens': usage?.completionTokens,
  };
}
