import { isListedModel } from '../budgets/index.js';
import type { NewEvent } from '../events/index.js';
import type { SpanAttributes } from '../telemetry/index.js';

/**
 * What a trace says of an event. Whoever calls writes the model's name, so it is told only where the list of prices has this
 * very name: anything else could be a text.
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
