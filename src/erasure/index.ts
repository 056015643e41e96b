/**
 * Erases people: empties what the log and its copies keep of them, and certifies it. Counts, amounts and budgets stay.
 */
export { ErasureModule } from './erasure.module.js';
