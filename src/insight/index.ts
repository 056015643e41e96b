/** Statistics of the log over time. It reads and changes nothing. */
export { ExceptionStatsReader, type ExceptionHits } from './exception-stats-reader.js';
export { InsightModule } from './insight.module.js';
