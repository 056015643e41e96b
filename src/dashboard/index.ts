/**
 * Serves the dashboard's built files under a strict content security policy. It knows no account and no route of the
 * API.
 */
export { builtDashboard, serveDashboard } from './dashboard-files.js';
