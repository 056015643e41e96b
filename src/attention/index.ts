/** The list of entries that need attention. It reads the data of other features and changes none of it. */
export { AttentionModule } from './attention.module.js';
