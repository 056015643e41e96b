/**
 * Serves the dashboard's built files under a strict content security policy, and counts the violations that browsers report. It knows no
 * account and no route of the API.
 */
export { DashboardModule } from './dashboard.module.js';
export { builtDashboard, serveDashboard } from './dashboard-files.js';
