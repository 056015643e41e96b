/**
 * Every leaf of the policy format, and which of two values is stricter. A test walks the schema, so a leaf without an entry cannot be
 * added to the format.
 */
export { leafChanges, type LeafChange } from './leaf-changes.js';
export type { LeafClass } from './leaf-class.js';
export { classOf, LEAF_CLASSES } from './leaf-classes.js';
export { leafName, leafValues, withOptions, type LeafValue } from './leaf-values.js';
export { moneyWitnesses, priceWitnesses } from './money-witness.js';
export { membersOf, NEUTRAL, together, type Effect } from './order.js';
export { dollars, plainValue, shownChange, shownValue } from './show-value.js';
