/**
 * The proxy between official provider clients and their providers. Every call is judged and recorded, and only the
 * changes that a rule requires are made. This folder itself makes no decisions and stores nothing.
 */
export { GatewayModule } from './gateway.module.js';
