/** One app as its account sees it: limits, use, what came in last, what was refused. It records and judges nothing. */
export { AppsModule } from './apps.module.js';
