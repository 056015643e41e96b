import type { AnyDetector, Detector, DetectorMeta } from './detector.js';

/**
 * A detector without the code that looks: policies that name it compile, and tests with stubs run. To create a scan of
 * it is a mistake of the caller, who has to ask for `wholeCatalog`.
 */
export function describedDetector<Code extends string, Options>(
  about: Omit<DetectorMeta<Code, Options>, 'reach' | 'examples'>,
): AnyDetector {
  const described: Detector<Code, Options> = {
    kind: 'text',
    meta: { ...about, reach: 'whole_text', examples: [] },
    create: () => {
      throw new Error(`the detector "${about.id}" is only described here`);
    },
  };
  return described;
}
