import { lazily, type CommandSection } from '../command.js';

/** The commands with which policies, and detectors for them, are written. */
export const WRITING: CommandSection = {
  title: 'Write policies',
  commands: [
    lazily(
      'init [folder]',
      'Create a policies folder with rules, tests and schemas',
      async () => (await import('./init.js')).init,
    ),
    lazily(
      'lint [paths..]',
      'Check policies for errors, doubtful conditions and missing tests',
      async () => (await import('./lint.js')).lint,
    ),
    lazily('fmt [paths..]', 'Format policy files and keep their comments', async () => (await import('./fmt.js')).fmt),
    {
      name: 'schema',
      summary: 'JSON Schemas for completion and checks in editors',
      commands: [
        lazily(
          'write',
          'Write the JSON Schemas of the file formats, with the facts of the loaded plugins',
          async () => (await import('./schema-write.js')).schemaWrite,
        ),
      ],
    },
    lazily(
      'render <environment>',
      'Print the effective policy of an environment with the origin of lines',
      async () => (await import('./render.js')).render,
    ),
    lazily(
      'explain-rule <id>',
      'Describe a rule in sentences: conditions, source, owner and tests',
      async () => (await import('./explain-rule.js')).explainRule,
    ),
    lazily('docs', 'Write a page about the policies for reviewers', async () => (await import('./docs.js')).docs),
    {
      name: 'exceptions',
      summary: 'Exceptions and their expiry dates',
      commands: [
        lazily(
          'list [environment]',
          'List exceptions with their expiry dates',
          async () => (await import('./exceptions-list.js')).exceptionsList,
        ),
        lazily(
          'preview <id>',
          'List requests whose decision changes when an exception expires',
          async () => (await import('./exceptions-preview.js')).exceptionsPreview,
        ),
        lazily(
          'renew <id>',
          'Extend an exception in its file',
          async () => (await import('./exceptions-renew.js')).exceptionsRenew,
        ),
      ],
    },
    {
      name: 'plugin',
      summary: 'Detector plugins',
      commands: [
        lazily(
          'new <id>',
          'Create a detector with code, passing tests and a page',
          async () => (await import('./plugin-new.js')).pluginNew,
        ),
      ],
    },
  ],
};
