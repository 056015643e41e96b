/** What the log says in sum: figures over time. It reads and changes nothing. */
export { InsightModule } from './insight.module.js';
