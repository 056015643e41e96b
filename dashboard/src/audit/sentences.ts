/** Audit entries as sentences, shown next to their raw names. */
import type { AuditEntry } from '../api/types.ts';
import { visible } from '../parts/visible.ts';

const PLAIN: Readonly<Record<string, string>> = {
  'account.created': 'created the account',
  'account.closed': 'closed the account',
  'account.signed_up': 'signed up',
  'app.created': 'created an app',
  'app.renamed': 'renamed an app',
  'app.archived': 'archived an app',
  'app.limits_changed': 'changed the limits of the app',
  'attention.snoozed': 'hid an entry of the attention list',
  'key.created': 'created a key',
  'key.rotated': 'rotated a key',
  'key.deleted': 'deleted a key',
  'token.created': 'created a management token',
  'token.deleted': 'deleted a management token',
  'session.started': 'signed in',
  'session.ended': 'ended a session',
  'session.reauthenticated': 'entered the password again',
  'password.changed': 'changed the password',
  'password.reset': 'reset the password',
  'email.changed': 'changed the e-mail address',
  'email.change_requested': 'asked to change the e-mail address',
  'email.verified': 'confirmed the e-mail address',
  'erasure.requested': 'requested an erasure',
  'erasure.tried': 'tried an erasure without erasing anything',
  'erasure.completed': 'completed an erasure',
  'subscription.changed': 'changed the subscription',
  'subscription.checkout_opened': 'opened the payment page',
  'subscription.portal_opened': 'opened the billing portal',
  'budget.adjusted': 'adjusted a budget',
  'view.created': 'saved the view',
  'view.changed': 'changed the view',
  'view.deleted': 'deleted the view',
  'event.marked': 'marked a decision',
  'event.unmarked': 'removed a mark',
  'export.bucket_tried': 'tested an export bucket',
  'export.created': 'started an export',
  'export.cancelled': 'cancelled an export',
  'export.downloaded': 'downloaded an export',
  'export.paused': 'paused an export',
  'export.resumed': 'resumed an export',
  'export.removed': 'deleted an export',
  'export.schedule_changed': 'changed an export schedule',
  'export.schedule_created': 'created an export schedule',
  'export.schedule_deleted': 'deleted an export schedule',
};

/** By action: the words for the affected environment. */
const DEPLOYED: Readonly<Record<string, (environment: string) => string>> = {
  'policy.deployed': (environment) => `deployed to ${environment}`,
  'policy.rolled_back': (environment) => `rolled ${environment} back`,
  'policy.changed_in_emergency': (environment) => `changed ${environment} in an emergency`,
};

const detail = (details: AuditEntry['details'], name: string): string | null => {
  const value = (details as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'string' || typeof value === 'number' ? visible(String(value)) : null;
};

export function sentence({ action, details, subject }: AuditEntry): string {
  const environment = detail(details, 'environment');
  const number = detail(details, 'number') ?? detail(details, 'deployment');
  const because = detail(details, 'because');
  const name = detail(details, 'name');
  const reason = because === null ? '' : `: “${because}”`;
  const deployed = Object.hasOwn(DEPLOYED, action) ? DEPLOYED[action] : undefined;
  if (deployed !== undefined)
    return `${deployed(visible(subject ?? 'a policy'))}${number === null ? '' : ` (#${number})`}${reason}`;
  const rule = detail(details, 'rule');
  const mark = detail(details, 'mark');
  if (action === 'event.marked' && rule !== null && mark !== null) return `marked ${rule} ${mark} in a call`;
  const plain = Object.hasOwn(PLAIN, action) ? PLAIN[action] : action.replaceAll('.', ' ').replaceAll('_', ' ');
  return `${plain}${name === null ? '' : ` ${name}`}${environment === null ? '' : `, ${environment}`}${reason}`;
}
