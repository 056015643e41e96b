import { TOKEN_SCOPES, type TokenScope } from '../core/index.js';
import type { MemberRole } from '../database/index.js';

/** What members may do, in the words of management tokens. A new role does not compile until it is here. */
export const SCOPES_OF_ROLE: Readonly<Record<MemberRole, readonly TokenScope[]>> = {
  owner: TOKEN_SCOPES,
};
