import type { DetectorMode } from './readings.js';
import type { Stage } from '../../core/model/fact.js';
import type { Expectation } from './suite-schema.js';
import type { TestCall } from './build-call.js';
import type { GatheredFacts } from './gather-facts.js';
import type { TestCase } from './read-suite.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';

/** One test in one environment, with the facts of its call in that environment. */
export interface PreparedTest {
  readonly test: TestCase;
  readonly stage: Stage;
  readonly policy: CompiledPolicy;
  readonly expected: Expectation;
  readonly mode: DetectorMode;
  readonly call: TestCall;
  readonly gathered: GatheredFacts;
}
