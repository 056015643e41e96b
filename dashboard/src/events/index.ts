export { CallPage } from './call-page.tsx';
export { EventsPage } from './events-page.tsx';
