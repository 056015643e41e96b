export { builtDashboard, serveDashboard } from './dashboard-files.js';
