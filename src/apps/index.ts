/** One app as its account sees it: limits, use, last events, refusals. This folder records and judges nothing. */
export { AppsModule } from './apps.module.js';
