/**
 * The communication of commands with a server: the HTTP client, its errors, and saved servers (contexts). This code does not depend on
 * any command.
 */
export { apiClient, type ApiClient } from './api-client.js';
export { ApiError, isPassing, whereUnknown } from './api-error.js';
export { pagedRows } from './paged-rows.js';
export { readAnswer } from './read-answer.js';
export { namingWork } from './named-work.js';
export type { ServerFlags } from './connection.js';
export { SERVER_OPTIONS } from './server-options.js';
