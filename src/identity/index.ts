/** People: signing up and in, confirming addresses, sessions, passwords, and the mail for it. It judges no call. */
export { IdentityModule } from './identity.module.js';
export { refuseOtherSites } from './same-origin.js';
