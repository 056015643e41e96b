export { ExportsPage } from './exports-page.tsx';
export { SchedulePage } from './schedule-page.tsx';
