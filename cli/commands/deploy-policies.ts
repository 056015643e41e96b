import { lazily, type CommandSection } from '../command.js';

/** The commands that bring a policy to a server, and show what it runs. */
export const DEPLOYING: CommandSection = {
  title: 'Deploy policies',
  commands: [
    lazily(
      'build <environment>',
      'Pack a policy, its tests and its sources into one bundle file',
      async () => (await import('./build.js')).build,
    ),
    lazily('sign <bundle>', 'Sign a bundle with an Ed25519 key', async () => (await import('./sign.js')).sign),
    lazily(
      'verify <bundle>',
      'Check that a bundle is complete, compiles and is signed',
      async () => (await import('./verify.js')).verify,
    ),
    lazily('plan <environment>', 'Show what a deployment would change', async () => (await import('./plan.js')).plan),
    lazily(
      'deploy <environment>',
      'Activate a policy on every replica',
      async () => (await import('./deploy.js')).deploy,
    ),
    lazily(
      'promote <from> <to>',
      'Deploy the policy that another environment runs',
      async () => (await import('./promote.js')).promote,
    ),
    lazily(
      'rollback <environment>',
      'Reactivate an earlier deployment; needs only the server',
      async () => (await import('./rollback.js')).rollback,
    ),
    lazily(
      'history <environment>',
      'List the deployments of an environment',
      async () => (await import('./history.js')).history,
    ),
    lazily(
      'show <environment> [number]',
      'Show one deployment and what each replica runs',
      async () => (await import('./show.js')).show,
    ),
    lazily(
      'drift [environment]',
      'Check that every replica runs the policy of the sources',
      async () => (await import('./drift.js')).drift,
    ),
    lazily(
      'pull <environment>',
      'Print server-side changes as a patch for your files',
      async () => (await import('./pull.js')).pull,
    ),
  ],
};
