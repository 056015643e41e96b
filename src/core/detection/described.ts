import type { AnyDetector, Detector, DetectorMeta } from './detector.js';

/**
 * A detector without its scanning code: policies that name it compile, and tests with stubs run. Creating its scan throws; the caller
 * must load the whole detector with `wholeCatalog` first.
 */
export function describedDetector<Code extends string, Options>(
  about: Omit<DetectorMeta<Code, Options>, 'reach' | 'examples'>,
): AnyDetector {
  const described: Detector<Code, Options> = {
    kind: 'text',
    meta: { ...about, reach: 'whole_text', examples: [] },
    create: () => {
      throw new Error(`the code of the detector "${about.id}" is not loaded`);
    },
  };
  return described;
}
