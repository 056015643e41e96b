/**
 * Unit tests stand beside the code; test/ holds what needs the whole service. Projects are chosen by scripts/test.mjs, and
 * with them which of the two sets of test/sets.mjs runs.
 */
import { availableParallelism } from 'node:os';
import { optionsOf } from './test/sets.mjs';

const common = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^@nestjs/throttler$': '<rootDir>/test/support/throttler.mjs',
    '^fast-check$': '<rootDir>/test/support/fast-check.mjs',
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // The same code; without the tables that jest warns of, file after file, for how they are imported.
    '^libphonenumber-js$': '<rootDir>/node_modules/libphonenumber-js/index.cjs',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          keepClassNames: true,
        },
        module: { type: 'es6' },
        swcrc: false,
        sourceMaps: 'inline',
      },
    ],
  },
};
const project = (displayName, roots, testRegex) => ({
  ...common,
  displayName,
  roots,
  testRegex,
  ...optionsOf(process.env.WEIR_TEST_SET),
  // What the isolation tests take away has to be there again for the next file.
  ...(process.env.WEIR_TEST_ISOLATION ? {} : { testRunner: '<rootDir>/test/support/native-runner.cjs' }),
});
/** Tests of the service, with what is left of the two things that keep accounts apart; see scripts/test-isolation.mjs. */
const onService = (displayName, roots) => ({
  ...project(displayName, roots, '\\.spec\\.ts$'),
  setupFilesAfterEnv: process.env.WEIR_TEST_ISOLATION ? ['<rootDir>/test/support/isolation-setup.ts'] : [],
});
export default {
  testSequencer: '<rootDir>/test/support/dearest-first.cjs',
  // Two on two cores: much of what a file waits for is not of the processor.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  // No test waits on purpose: what is slow is a machine that has other things to do.
  testTimeout: 60_000,
  // ES modules of a file stay in memory after its tests: a worker that holds this much makes room for a new one.
  workerIdleMemoryLimit: '1GB',
  projects: [
    project(
      'unit',
      [
        '<rootDir>/src',
        '<rootDir>/plugins',
        '<rootDir>/cli',
        '<rootDir>/bench',
        '<rootDir>/policies',
        '<rootDir>/test/in-step',
      ],
      '\\.spec\\.ts$',
    ),
    onService('integration', ['<rootDir>/test/integration', '<rootDir>/test/sdk']),
    onService('e2e', ['<rootDir>/test/e2e', '<rootDir>/test/conformance', '<rootDir>/test/canary']),
  ],
};
