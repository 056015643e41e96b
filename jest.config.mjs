/**
 * Unit tests are next to the code; tests in test/ need the whole service. scripts/test.mjs selects the projects, and which of the two sets
 * of test/sets.mjs runs.
 */
import { availableParallelism } from 'node:os';
import { swcOptions } from './scripts/swc-options.mjs';
import { optionsOf } from './test/sets.mjs';

const common = {
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^@nestjs/throttler$': '<rootDir>/test/support/throttler.mjs',
    '^fast-check$': '<rootDir>/test/support/fast-check.mjs',
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // The same code, without the import of tables about which jest warns for each file.
    '^libphonenumber-js$': '<rootDir>/node_modules/libphonenumber-js/index.cjs',
  },
  transform: {
    // A copy, because @swc/jest adds an option to the given object.
    '^.+\\.ts$': ['@swc/jest', { ...structuredClone(swcOptions), sourceMaps: 'inline' }],
  },
};
const project = (displayName, roots, testRegex) => ({
  ...common,
  displayName,
  roots,
  testRegex,
  ...optionsOf(process.env.WEIR_TEST_SET),
  // Isolation tests remove protections, which must be in place again for the next file.
  ...(process.env.WEIR_TEST_ISOLATION
    ? { testEnvironment: 'node' }
    : {
        testEnvironment: '<rootDir>/test/support/no-realm.cjs',
        testRunner: '<rootDir>/test/support/native-runner.cjs',
      }),
});
/** Tests of the service, optionally with one of the two kinds of account isolation removed; see scripts/test-isolation.mjs. */
const onService = (displayName, roots) => ({
  ...project(displayName, roots, '\\.spec\\.ts$'),
  setupFilesAfterEnv: process.env.WEIR_TEST_ISOLATION ? ['<rootDir>/test/support/isolation-setup.ts'] : [],
});
export default {
  reporters: ['default', '<rootDir>/test/support/end-after-failure.cjs'],
  testSequencer: '<rootDir>/test/support/dearest-first.cjs',
  // At least two workers even on two cores, because files spend much of their time waiting and not computing.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  // Long, because tests are slow only on a busy machine: no test waits for a fixed time.
  testTimeout: 60_000,
  // The ES modules of a file stay in memory after its tests: a worker with this much memory is replaced by a new one.
  workerIdleMemoryLimit: '1GB',
  // The default of half a second is too short on a busy machine: jest would kill workers that are ending, and report a leak.
  workerGracefulExitTimeout: 10_000,
  projects: [
    project(
      'unit',
      [
        '<rootDir>/src',
        '<rootDir>/plugins',
        '<rootDir>/cli',
        '<rootDir>/bench',
        '<rootDir>/dashboard/src',
        '<rootDir>/policies',
        '<rootDir>/test/in-step',
      ],
      '\\.spec\\.ts$',
    ),
    onService('integration', ['<rootDir>/test/integration', '<rootDir>/test/sdk']),
    onService('e2e', ['<rootDir>/test/e2e', '<rootDir>/test/conformance', '<rootDir>/test/canary']),
  ],
};
