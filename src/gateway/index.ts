/**
 * The proxy between official provider clients and their providers: it judges and records every call, and changes only what a rule
 * requires. It makes no decisions itself and stores nothing.
 */
export { GatewayModule } from './gateway.module.js';
