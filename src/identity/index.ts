/** People: sign-up, sign-in, confirmation of addresses, sessions, passwords, and the related mail. It judges no calls. */
export { IdentityModule } from './identity.module.js';
export { refuseOtherSites } from './same-origin.js';
