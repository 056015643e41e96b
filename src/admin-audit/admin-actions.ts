/** Every action that the admin audit log knows, with what its subject is. The names are stored: they are never renamed. */
export const ADMIN_ACTIONS = {
  'account.created': 'The account, made by a sign-up or the first start.',
  'account.closed': 'The account: its keys, tokens and sessions ended with it.',
  'app.created': 'Id of the app.',
  'app.renamed': 'Id of the app.',
  'app.archived': 'Id of the app; its keys stopped.',
  'budget.adjusted': 'Id of the window; `details` name budget, amount and reason.',
  'email.verified': 'Id of the person.',
  'email.changed': 'Id of the person.',
  'email.change_requested': 'Id of the person.',
  'key.created': 'Public id of the key.',
  'key.deleted': 'Public id of the key.',
  'key.rotated': 'Public id of the old key; `details` names the new one.',
  'password.changed': 'Id of the person.',
  'password.reset': 'Id of the person.',
  'policy.changed_in_emergency': 'The environment.',
  'policy.deployed': 'The environment.',
  'policy.rolled_back': 'The environment.',
  'session.ended': 'Id of the session.',
  'session.reauthenticated': 'Id of the session; its password was entered again.',
  'session.started': 'Id of the session.',
  'subscription.changed': 'The account.',
  'subscription.checkout_opened': 'The account; what comes of it is `subscription.changed`.',
  'subscription.portal_opened': 'The account.',
  'token.created': 'Public id of the management token.',
  'token.deleted': 'Public id of the management token.',
} as const satisfies Record<string, string>;

/** A closed set: what is not in it cannot be recorded, and does not compile. */
export type AdminActionName = keyof typeof ADMIN_ACTIONS;
