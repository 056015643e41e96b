/**
 * All entities of the database. Events are not entities: they are read and written in batches through `SqlRunner`, never as single
 * objects.
 */
import { Account } from './account.entity.js';
import { ApiKey } from './api-key.entity.js';
import { App } from './app.entity.js';
import { ManagementToken } from './management-token.entity.js';
import { Membership } from './membership.entity.js';
import { Person } from './person.entity.js';

export type { AccountStatus, SubscriptionState } from './account.entity.js';
export type { MemberRole } from './membership.entity.js';
export { Account, ApiKey, App, ManagementToken, Membership, Person };

export const ENTITIES = [Account, App, ApiKey, ManagementToken, Membership, Person];
