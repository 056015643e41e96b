#!/usr/bin/env node
/** `weir` in a checkout and in an installed package: a file that is executable whatever was built last. */
import { existsSync } from 'node:fs';

const main = new URL('../dist/cli/main.js', import.meta.url);
if (!existsSync(main)) {
  // See src/config/network-defaults.ts, which is too late if the build has used the threads.
  process.env.UV_THREADPOOL_SIZE ??= '16';
  // The build needs a newer Node than the oldest one that a checkout permits.
  const { requirePinnedNode } = await import('../scripts/with-pinned-node.mjs');
  await requirePinnedNode();
  const { ensureBuilt } = await import('../scripts/build-if-changed.mjs');
  await ensureBuilt();
}
await import(main.href);
