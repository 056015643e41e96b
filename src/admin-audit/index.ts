/**
 * The admin audit log: who changed what in an account, when and from where. It depends on no feature; features record entries in the
 * transaction of their change.
 */
export { ACTOR_KINDS, actorOf, actorWithoutRequest, noteActor, type Actor, type ActorKind } from './actor.js';
export { ADMIN_ACTIONS, type AdminActionName } from './admin-actions.js';
export { AdminAudit, type AdminAction, type AdminActionFilter, type NewAdminAction } from './admin-audit.js';
export { AdminAuditModule } from './admin-audit.module.js';
export { Records } from './records.js';
export { assertRoutesRecord, UnrecordedRoute, type ServedRoute } from './unrecorded-routes.js';
