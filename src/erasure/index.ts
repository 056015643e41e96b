/** Erases people: empties what the log and its copies keep of them, and certifies it. */
export { ErasureModule } from './erasure.module.js';
