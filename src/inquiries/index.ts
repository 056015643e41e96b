/**
 * Answers questions: which rules a policy has, why a call was decided so, what differs between two policies, what one
 * would decide. In threads of its own. It changes and stores nothing.
 */
export { InquiriesModule } from './inquiries.module.js';
