/**
 * The pages of exports and their schedules. Files are written by the service and downloaded from it.
 */

export { ExportsPage } from './exports-page.tsx';
export { SchedulePage } from './schedule-page.tsx';
