/**
 * The entry point for clients that call their provider themselves: it decides whether a call may be sent and with which body, and accepts
 * the report of its end. Calls and reports are judged like a call through the proxy.
 */
export { CallChecksModule } from './call-checks.module.js';
