import { lazily, type CommandSection } from '../command.js';

/** The commands for accounts, access, this machine and the service itself. */
export const ADMINISTERING: CommandSection = {
  title: 'Administer',
  commands: [
    {
      name: 'apps',
      summary: 'Apps of the account',
      commands: [
        lazily('list', 'List apps', async () => (await import('./apps-list.js')).appsList),
        lazily(
          'show <app>',
          'Show one app with its limits and their current use',
          async () => (await import('./apps-show.js')).appsShow,
        ),
        lazily('create <name>', 'Create an app', async () => (await import('./apps-create.js')).appsCreate),
        lazily('rename <app> <name>', 'Rename an app', async () => (await import('./apps-rename.js')).appsRename),
        lazily(
          'limits <app>',
          'Set the rate limits of an app',
          async () => (await import('./apps-limits.js')).appsLimits,
        ),
        lazily(
          'archive <app>',
          'Archive an app and revoke its keys; its events are kept',
          async () => (await import('./apps-archive.js')).appsArchive,
        ),
      ],
    },
    {
      name: 'keys',
      summary: 'API keys',
      commands: [
        lazily(
          'create',
          'Create a key; its secret is shown once',
          async () => (await import('./keys-create.js')).keysCreate,
        ),
        lazily('list', 'List keys with expiry and last use', async () => (await import('./keys-list.js')).keysList),
        lazily(
          'rotate <id>',
          'Replace a key; both keys work for a while',
          async () => (await import('./keys-rotate.js')).keysRotate,
        ),
        lazily(
          'delete <id>',
          'Revoke a key within a second',
          async () => (await import('./keys-delete.js')).keysDelete,
        ),
        lazily('inspect', 'Decode a key without a server', async () => (await import('./keys-inspect.js')).keysInspect),
      ],
    },
    {
      name: 'tokens',
      summary: 'Management tokens',
      commands: [
        lazily(
          'create',
          'Create a token; its secret is shown once',
          async () => (await import('./tokens-create.js')).tokensCreate,
        ),
        lazily('list', 'List tokens', async () => (await import('./tokens-list.js')).tokensList),
        lazily(
          'delete <id>',
          'Revoke a token within a second',
          async () => (await import('./tokens-delete.js')).tokensDelete,
        ),
      ],
    },
    {
      name: 'subscriptions',
      summary: 'Subscriptions of accounts (on the server)',
      commands: [
        lazily(
          'show <account>',
          'Show the subscription state of an account',
          async () => (await import('./subscriptions-show.js')).subscriptionsShow,
        ),
        lazily(
          'set <account> <state>',
          'Set the subscription state of an account',
          async () => (await import('./subscriptions-set.js')).subscriptionsSet,
        ),
      ],
    },
    lazily('login', 'Save a server and a token under a name', async () => (await import('./login.js')).login),
    lazily('logout', 'Remove the saved token of a server', async () => (await import('./logout.js')).logout),
    lazily(
      'whoami',
      'Show the owner and the scopes of the current token',
      async () => (await import('./whoami.js')).whoami,
    ),
    {
      name: 'context',
      summary: 'Saved server connections',
      commands: [
        lazily('list', 'List saved servers', async () => (await import('./context-list.js')).contextList),
        lazily(
          'use <name>',
          'Select the server for later commands',
          async () => (await import('./context-use.js')).contextUse,
        ),
        lazily(
          'remove <name>',
          'Remove a saved server',
          async () => (await import('./context-remove.js')).contextRemove,
        ),
      ],
    },
    lazily('doctor', 'Check the installation and suggest fixes', async () => (await import('./doctor.js')).doctor),
    lazily(
      'completion <shell>',
      'Print a completion script for bash, zsh or fish',
      async () => (await import('./completion.js')).completion,
    ),
    {
      name: 'server',
      summary: 'The Weir service',
      commands: [
        lazily('start', 'Start the service', async () => (await import('./server-start.js')).serverStart),
        lazily('migrate', 'Apply database migrations', async () => (await import('./server-migrate.js')).serverMigrate),
        lazily(
          'bootstrap',
          'Create the first account, app, keys and token in an empty database',
          async () => (await import('./server-bootstrap.js')).serverBootstrap,
        ),
      ],
    },
  ],
};
