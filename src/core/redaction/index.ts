/**
 * Selects the characters to replace and their replacements. Overlapping findings are merged into spans, numbered across the call, and
 * replaced in texts and JSON.
 */
export { applyEdits, applyingEdits, type Edit, type TextEdit } from '../text/edit.js';
export {
  maskAll,
  maskingAll,
  planningRedaction,
  planRedaction,
  type Mask,
  type RedactionInput,
  type RedactionPlan,
} from './plan-redaction.js';
export { Numbering } from './numbering.js';
export { createRestorer, withRestored, type RestoreContext, type Restorer } from './restore.js';
export { normaliseValue, stableToken, type KeyedHash } from './stable-token.js';
