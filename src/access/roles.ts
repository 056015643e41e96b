import { TOKEN_SCOPES, type TokenScope } from '../core/index.js';
import type { MemberRole } from '../database/index.js';

/** The rights of members, expressed as scopes of management tokens. A new role must be added here to compile. */
export const SCOPES_OF_ROLE: Readonly<Record<MemberRole, readonly TokenScope[]>> = {
  owner: TOKEN_SCOPES,
};
