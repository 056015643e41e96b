/** Before `npm pack` in a checkout: what the package holds is built. The packages of a release are made by release-pack.mjs. */
import { ensureBuilt } from './build-if-changed.mjs';
import { requirePinnedNode } from './with-pinned-node.mjs';

await requirePinnedNode();
await ensureBuilt();
