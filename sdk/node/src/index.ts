export { isBlocked, weirOf, type WeirInfo } from './call-info.js';
export { weir } from './clients.js';
export { withWeirContext, type WeirContext } from './context.js';
export { WeirConfigError, type OwnErrorCode, type Redaction, type Violation } from './errors.js';
export type { WeirOptions } from './options.js';
export { Weir, type WeirStats } from './weir-client.js';
export { weirFetch } from './weir-fetch.js';
export { tool, ToolBlocked } from './tool.js';
