/**
 * The environment of a test file for native-runner.cjs, which runs all files in the realm of their worker. The environment that jest has
 * for Node makes a new realm with copies of all globals for each file, which costs CPU time and which nothing would use.
 */
module.exports = class NoRealm {
  /** jest puts the console of the file here, from where native-runner.cjs takes it. */
  global = {};
  /** jest-runtime restores its mocks after each file; only modules that it loads itself could have some. */
  moduleMocker = { restoreAllMocks: () => undefined };

  async setup() {}

  async teardown() {}

  getVmContext() {
    return null;
  }
};
