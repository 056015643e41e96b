/**
 * The built-in rule packs as people meet them: `weir packs`, `weir init --pack` and docs/reference/packs. Their rules
 * stand in src/core/policy/built-in, where the compiler finds them.
 */
import { HIPAA } from './hipaa.js';
import type { Pack } from './pack.js';
import { PCI } from './pci.js';

export { packPage, packsPage } from './page.js';
export { shortName, type Pack } from './pack.js';

export const PACKS: readonly Pack[] = [HIPAA, PCI];
