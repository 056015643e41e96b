/**
 * The caller, its account and this service in one answer: the first request of a client. It needs any scope and changes
 * nothing.
 */
export { MeModule } from './me.module.js';
