/**
 * The tree of all commands: sections, groups, and the module of each command. A command is loaded only when it is
 * called.
 */
import type { CommandGroup, CommandSection, LazyCommand } from '../command.js';
import { DESCRIBED, type CommandWords } from './described.js';

/**
 * The commands of `weir`, by section and in the order of the help; each section has a folder. A new command needs a file in that folder
 * and an entry here; `npm run gen` adds it to described.ts. A command is imported only when it is called.
 */
export const SECTIONS: readonly CommandSection[] = [
  {
    title: 'Write policies',
    commands: [
      DESCRIBED.init,
      DESCRIBED.import,
      DESCRIBED.lint,
      DESCRIBED.fmt,
      group('schema', 'JSON Schemas for completion and checks in editors', ['write']),
      DESCRIBED.render,
      DESCRIBED['explain-rule'],
      DESCRIBED.docs,
      group('packs', 'Rule packs that come with Weir', ['list', 'show']),
      group('exceptions', 'Exceptions and their expiry dates', ['list', 'preview', 'renew']),
      group('plugin', 'Detector plugins', ['new']),
    ],
  },
  {
    title: 'Test policies and detectors',
    commands: [
      DESCRIBED.test,
      DESCRIBED.try,
      DESCRIBED.repl,
      DESCRIBED.mutate,
      DESCRIBED.diff,
      DESCRIBED.backtest,
      DESCRIBED.capture,
      DESCRIBED.scan,
      DESCRIBED.eval,
      DESCRIBED.bench,
    ],
  },
  {
    title: 'Deploy policies',
    commands: [
      DESCRIBED.build,
      DESCRIBED.sign,
      DESCRIBED.verify,
      DESCRIBED.plan,
      DESCRIBED.deploy,
      DESCRIBED.promote,
      DESCRIBED.rollback,
      DESCRIBED.history,
      DESCRIBED.show,
      DESCRIBED.drift,
      DESCRIBED.pull,
    ],
  },
  {
    title: 'Observe calls',
    commands: [
      DESCRIBED.stats,
      group('events', 'Events of the audit log, and marks on decisions', [
        'list',
        'show',
        'tail',
        'count',
        'facets',
        'mark',
        'marks',
        'export',
      ]),
      group('sessions', 'Sessions of calls, such as conversations', ['list', 'show']),
      group('views', 'Saved event filters', ['list', 'save', 'update', 'delete']),
      DESCRIBED.explain,
      group('rules', 'Rule statistics', ['stats']),
      DESCRIBED.attention,
      group('budgets', 'Budgets and spending', ['list', 'show', 'forecast', 'entries', 'adjust', 'audit']),
      group('exports', 'Event files that the service writes in the background', [
        'list',
        'create',
        'fetch',
        'pause',
        'resume',
        'cancel',
      ]),
      group('exports schedules', 'Recurring exports', [
        'list',
        'create',
        'runs',
        'update',
        'pause',
        'resume',
        'delete',
      ]),
      DESCRIBED.erase,
      group('erasures', 'Erasures and their certificates', ['list', 'show']),
      DESCRIBED.audit,
    ],
  },
  {
    title: 'Administer',
    commands: [
      group('apps', 'Apps of the account', ['list', 'show', 'create', 'rename', 'limits', 'archive']),
      group('keys', 'API keys', ['create', 'list', 'rotate', 'delete', 'inspect']),
      group('tokens', 'Management tokens', ['create', 'list', 'delete']),
      group('subscriptions', 'Subscriptions of accounts (on the server)', ['show', 'set']),
      DESCRIBED.login,
      DESCRIBED.logout,
      DESCRIBED.whoami,
      group('context', 'Saved server connections', ['list', 'use', 'remove']),
      DESCRIBED.doctor,
      DESCRIBED.completion,
      group('archive', 'Old weeks of the log in object storage (on the server)', [
        'plan',
        'run',
        'list',
        'verify',
        'restore',
      ]),
      group('server', 'The Weir service', ['start', 'migrate', 'bootstrap', 'backup', 'restore', 'move']),
    ],
  },
];

export const COMMANDS: readonly (LazyCommand | CommandGroup)[] = SECTIONS.flatMap(({ commands }) => commands);

function group(name: string, summary: string, words: readonly string[]): CommandGroup {
  return { name, summary, commands: words.map((word) => DESCRIBED[`${name} ${word}` as CommandWords]) };
}
