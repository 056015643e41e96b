/** Erases people: empties their data in the log and its copies, and certifies it. Counts, amounts and budgets stay. */
export { ErasureModule } from './erasure.module.js';
