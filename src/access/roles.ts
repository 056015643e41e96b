import type { MemberRole } from '../database/index.js';
import type { TokenScope } from './caller.js';
import { TOKEN_SCOPES } from './token-authenticator.js';

/** What members may do, in the words of management tokens. A new role does not compile until it is here. */
export const SCOPES_OF_ROLE: Readonly<Record<MemberRole, readonly TokenScope[]>> = {
  owner: TOKEN_SCOPES,
};
