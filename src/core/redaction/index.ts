export { applyEdits, type Edit, type TextEdit } from './edit.js';
export { maskAll, planRedaction, type RedactionInput, type RedactionPlan } from './plan-redaction.js';
