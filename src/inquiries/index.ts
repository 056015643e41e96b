/**
 * Answers questions about policies: their rules, the reasons of a decision, differences between two policies, hypothetical decisions. It
 * uses separate threads, and changes or stores nothing.
 */
export { InquiriesModule } from './inquiries.module.js';
