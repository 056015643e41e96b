/** Every scope of management tokens: the service checks them, and the command line offers them. */
export const TOKEN_SCOPES = [
  'policy:read',
  'policy:deploy',
  'policy:rollback',
  'policy:emergency',
  'keys:admin',
  'events:read',
  'events:mark',
  'events:erase',
  'budgets:admin',
  'account:admin',
] as const;

export type TokenScope = (typeof TOKEN_SCOPES)[number];
