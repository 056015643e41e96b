/** `npm start`: builds when sources changed, then runs the service in this process. */
import { ensureBuilt } from './build-if-changed.mjs';
import { requirePinnedNode } from './with-pinned-node.mjs';

// See src/config/network-defaults.ts, which is too late if the build has used the threads.
process.env.UV_THREADPOOL_SIZE ??= '16';
await requirePinnedNode();
await ensureBuilt();
await import('../dist/server/main.js');
