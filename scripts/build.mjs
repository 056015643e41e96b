/** `npm run build`: the server, the commands' few files, the dashboard and the API page beside them. Fails when one of them does. */
import { buildServer } from './build-if-changed.mjs';
import { startDashboardBuild } from './build-dashboard.mjs';

const dashboard = startDashboardBuild();
buildServer('inherit');
if (!(await dashboard.putInPlace())) process.exitCode = 1;
