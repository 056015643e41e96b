/** Who calls and who manages: keys, tokens, the first account. It judges nothing and knows no event. */
export { openAccount } from './accounts.js';
export { AccessUnavailable } from './access-errors.js';
export { AccessModule } from './access.module.js';
export { ApiKeys, type ApiKeyView, type NewApiKey } from './api-keys.js';
export { Bootstrap } from './bootstrap.js';
export { bootstrapPath, type BootstrapFile } from './bootstrap-file.js';
export type { ActingManager, ActingMember, Caller, Reach, TokenScope } from './caller.js';
export { readEmailAddress, type EmailAddress } from './email-address.js';
export { CredentialCache } from './credential-cache.js';
export { KeyAuthenticator } from './key-authenticator.js';
export { hashPassword, verifyNobodysPassword, verifyPassword } from './password-hash.js';
export { ApiManagers } from './management/api-managers.js';
export { ManagementAccess } from './management-access.js';
export { SESSION_COOKIE, sessionCookie, sessionTokenOf } from './session-cookie.js';
export { SESSION_SECONDS, Sessions, type MemberSession, type NewSession, type SessionView } from './sessions.js';
export { TOKEN_SCOPES, TokenAuthenticator } from './token-authenticator.js';
export { TokenKeys } from './token-keys.js';
