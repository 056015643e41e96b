/**
 * The proxy between official provider clients and their providers: it judges and records every call that passes, and
 * changes nothing but what a rule says. It makes no decision of its own and keeps nothing.
 */
export { GatewayModule } from './gateway.module.js';
