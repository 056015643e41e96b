/** What somebody should look at, in one list. It looks at what others keep, and changes nothing of it. */
export { AttentionModule } from './attention.module.js';
