/** `npm start`: builds when sources changed, then runs the service in this process. */
import { ensureBuilt } from './build-if-changed.mjs';
import { requirePinnedNode } from './with-pinned-node.mjs';

await requirePinnedNode();
await ensureBuilt();
await import('../dist/server/main.js');
