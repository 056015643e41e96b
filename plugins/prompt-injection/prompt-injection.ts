import { defineDetector } from '../../src/core/plugin-api.js';
import { ABOUT } from './about.js';
import { INJECTION_EXAMPLES } from './examples.js';
import { createScan } from './scan.js';
import { MODEL } from './weights.js';

export const promptInjection = defineDetector({
  meta: { ...ABOUT, reach: 'whole_text', examples: INJECTION_EXAMPLES },
  create: (_options, settings) => createScan(settings, MODEL),
});
