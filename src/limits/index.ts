/** Rate limits per address, app and account, shared by all replicas with Redis. It judges no content. */
export { AdmissionLimit } from './admission-limit.js';
export { addressOf, AuthLimit, AuthLimits } from './auth-limits.js';
export { BodyRooms, type UnpackingRoom } from './body-limit.js';
export { EvaluateLimit } from './evaluate-limit.js';
export { mostWithin } from './own-limit.js';
export { RateLimits } from './rate-limits.js';
export { Overload, type ReleaseSlot, type WaitingClient } from './overload.js';
export { LimitsModule } from './limits.module.js';
