/**
 * The built-in rule packs for users: `weir packs`, `weir init --pack` and docs/reference/packs. Their rules are in
 * src/core/policy/built-in, where the compiler finds them.
 */
import { CODING_AGENT } from './coding-agent.js';
import { CUSTOMER_SUPPORT } from './customer-support.js';
import { GDPR } from './gdpr.js';
import { HIPAA } from './hipaa.js';
import { OWASP_LLM } from './owasp-llm.js';
import type { Pack } from './pack.js';
import { PCI } from './pci.js';
import { SECRETS_STRICT } from './secrets-strict.js';

export { packPage, packsPage } from './page.js';
export { shortName, type Pack } from './pack.js';

export const PACKS: readonly Pack[] = [CODING_AGENT, CUSTOMER_SUPPORT, GDPR, HIPAA, OWASP_LLM, PCI, SECRETS_STRICT];
