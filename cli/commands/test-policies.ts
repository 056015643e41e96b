import { lazily, type CommandSection } from '../command.js';

/** The commands that evaluate policies and detectors before anything is deployed. */
export const TESTING: CommandSection = {
  title: 'Test policies and detectors',
  commands: [
    lazily(
      'test [filter]',
      'Run the tests of a policies folder and report coverage by condition',
      async () => (await import('./test.js')).test,
    ),
    lazily(
      'try [text]',
      'Evaluate one text, request, answer or tool call without a server',
      async () => (await import('./try.js')).tryCommand,
    ),
    lazily(
      'repl',
      'Evaluate messages interactively and change settings as you go',
      async () => (await import('./repl.js')).repl,
    ),
    lazily(
      'mutate',
      'Mutation-test policies: list changes that no test catches',
      async () => (await import('./mutate.js')).mutate,
    ),
    lazily(
      'diff [rev]',
      'List changes since a git revision and requests judged differently',
      async () => (await import('./diff.js')).diff,
    ),
    lazily(
      'backtest',
      'Re-evaluate recorded calls by the policy files; compare decisions',
      async () => (await import('./backtest.js')).backtest,
    ),
    lazily(
      'capture <event>',
      'Turn a recorded decision into a policy test',
      async () => (await import('./capture.js')).capture,
    ),
    lazily(
      'scan [files..]',
      'Run detectors over texts (JSON Lines in and out)',
      async () => (await import('./scan.js')).scan,
    ),
    lazily(
      'eval <corpus..>',
      'Measure detectors on labelled texts: precision, recall and speed',
      async () => (await import('./eval.js')).evalCommand,
    ),
    lazily('bench', 'Measure how long a decision takes', async () => (await import('./bench.js')).bench),
  ],
};
