/** `npm run build`: builds the server, the bundled commands, the dashboard and the API page. Fails when one of them fails. */
import { buildServer } from './build-if-changed.mjs';
import { startDashboardBuild } from './build-dashboard.mjs';

const dashboard = startDashboardBuild();
await buildServer('inherit', { parallel: dashboard });
if (!(await dashboard.putInPlace())) process.exitCode = 1;
