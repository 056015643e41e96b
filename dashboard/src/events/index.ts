/**
 * The pages of events and of one call, with filters, masks and the reasons of a decision. Texts of callers are rendered as text and never
 * as markup.
 */

export { CallPage } from './call-page.tsx';
export { EventsPage } from './events-page.tsx';
