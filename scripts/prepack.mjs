/** Builds the content of the package before `npm pack` in a checkout. release-pack.mjs makes the packages of a release. */
import { ensureBuilt } from './build-if-changed.mjs';
import { requirePinnedNode } from './with-pinned-node.mjs';

await requirePinnedNode();
await ensureBuilt();
