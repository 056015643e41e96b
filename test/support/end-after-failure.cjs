/**
 * Ends the run if tests failed and something that they left (a server, a connection) keeps the process alive: a test that throws does not
 * reach the line that closes it. Without this, a run in one process never ends, and a command that reads its output shows nothing.
 */
const GRACE_MS = 3_000;

module.exports = class EndAfterFailure {
  constructor({ watch, watchAll }) {
    this.isWatching = watch || watchAll;
  }

  onRunComplete(_contexts, { numFailedTests, numFailedTestSuites }) {
    if (this.isWatching || numFailedTests + numFailedTestSuites === 0) return;
    setTimeout(() => {
      process.stderr.write('A failed test left something open, so the run is ended here.\n');
      // Nothing else ends a process that has an open handle; jest has written its report by then, and 1 is its own code for failed tests.
      process.exit(1);
    }, GRACE_MS).unref();
  }
};
