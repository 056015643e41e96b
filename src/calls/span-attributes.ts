import { SUBMITTED_COST, type NewEvent } from '../events/index.js';
import type { SpanAttributes } from '../telemetry/index.js';

/**
 * What a trace says of an event. Whoever calls writes the model's name, so it is told where the price list knows it, and could
 * be anything elsewhere.
 */
export function spanAttributes({
  id,
  type,
  environment,
  decision,
  model,
  priceVersion = SUBMITTED_COST,
  usage,
}: Pick<NewEvent, 'id' | 'type' | 'environment' | 'decision' | 'model' | 'priceVersion' | 'usage'>): SpanAttributes {
  return {
    'weir.event.id': id,
    'weir.event.type': type,
    'weir.environment': environment,
    'weir.decision': decision,
    'gen_ai.request.model': priceVersion === SUBMITTED_COST ? undefined : model,
    'gen_ai.usage.input_tokens': usage?.promptTokens,
    'gen_ai.usage.output_tokens': usage?.completionTokens,
  };
}
