import { z } from 'zod';
import { ENVIRONMENTS } from '../model/compiled-policy.js';
import { reasonUpTo } from '../model/reason.js';
import { BUNDLE_SCHEMA } from './bundle.js';

/** The request and response bodies of the deployment routes, used by the service for checks and documentation, and by the command line. */
const digest = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex');
const deploymentNumber = z.int().min(0).max(2_147_483_647);
const because = reasonUpTo(2_000).describe('Reason for the change; kept in the history.');
const instant = z.string().describe('RFC 3339, UTC.');

const BASE = z
  .strictObject({
    number: deploymentNumber.describe(
      'Number of the deployment that was active when the change was made; 0 for the policies folder.',
    ),
    digest: digest.describe('Digest of the policy that was active when the change was made.'),
  })
  .describe(
    'The deployment on which the change is based. If another deployment is active, the answer is 409 `stale_plan`.',
  );

export const DEPLOY_BODY = z.strictObject({
  bundle: BUNDLE_SCHEMA,
  base: BASE,
  action: z.enum(['deploy', 'promote']).optional(),
  because: because
    .optional()
    .describe('Reason for the deployment. Required for a signed bundle that is older than an earlier deployed one.'),
  untested: z.boolean().optional().describe('Accept a bundle without tests for its environment.'),
});

export const ROLLBACK_BODY = z.strictObject({
  to: deploymentNumber.describe('Number of an earlier deployment; 0 for the policies folder.'),
  base: BASE,
  because,
});

export const EMERGENCY_BODY = z.strictObject({
  base: BASE,
  changes: z
    .array(
      z.strictObject({
        path: z.string().describe('Path relative to the policies folder.'),
        text: z.string().nullable().describe('The whole new text; null removes the file.'),
      }),
    )
    .min(1)
    .max(100),
  because,
  waive_failing_tests: z
    .boolean()
    .optional()
    .describe('Deploy even if the change breaks bundled tests; the deployment lists the broken tests.'),
});

export const DEPLOYMENT = z
  .strictObject({
    number: deploymentNumber,
    environment: z.enum(ENVIRONMENTS),
    action: z.enum(['deploy', 'promote', 'rollback', 'emergency']),
    emergency: z.boolean().describe('True if the policy was changed on the server in an emergency.'),
    digest: digest.nullable().describe('Digest of the policy; null if the policies folder applies again.'),
    version: z.string().nullable().describe('The first twelve characters of the digest.'),
    bundle_digest: digest.nullable(),
    base: BASE,
    restores: deploymentNumber
      .nullable()
      .describe('For a rollback: number of the reactivated deployment; 0 for the policies folder.'),
    because: z.string().nullable(),
    changed_files: z.array(z.string()),
    waived_tests: z.array(z.string()),
    untested: z.boolean(),
    signed_by: z.array(z.string()).describe('Names of the trusted keys that signed the bundle.'),
    serial: z.int().nullable().describe('Serial number in the signatures of the bundle; null if no signature has one.'),
    source: z.strictObject({ commit: z.string().nullable(), clean: z.boolean() }),
    token_id: z
      .string()
      .nullable()
      .describe('The management token that made the deployment; null if a person made it.'),
    person_id: z.string().nullable().describe('The person who made the deployment; null if a token made it.'),
    by_name: z
      .string()
      .nullable()
      .describe("The person's e-mail address, or the name of the token; null if the person or token no longer exists."),
    created_at: instant,
  })
  .describe('One deployment in the history.');

export const REPLICA = z.strictObject({
  id: z.string(),
  name: z.string(),
  version: z.string().describe('Version of Weir on the replica.'),
  state: z
    .enum(['active', 'pending', 'failed', 'lost'])
    .describe('`failed`: the replica cannot activate the newest deployment, so an earlier policy stays active.'),
  deployment: deploymentNumber
    .nullable()
    .describe('Deployment whose policy judges calls on this replica; null for the policies folder.'),
  digest: digest
    .nullable()
    .describe('Digest of the active policy on this replica; null if no policy is active and calls are refused.'),
  problem: z.string().nullable(),
  tests_passed: z.int(),
  heartbeat_at: instant,
});

export const ACTIVE_POLICY = z
  .strictObject({
    environment: z.enum(ENVIRONMENTS),
    source: z.enum(['folder', 'deployment']),
    policy: z.string().describe('Id of the policy.'),
    digest,
    version: z.string(),
    base: BASE,
    deployment: DEPLOYMENT.nullable(),
    replicas: z.array(REPLICA),
  })
  .meta({ id: 'ActivePolicy' });

export const DEPLOYMENT_ANSWER = z
  .strictObject({ deployment: DEPLOYMENT, replicas: z.array(REPLICA) })
  .meta({ id: 'DeploymentAnswer' });
export const HISTORY = z
  .strictObject({
    data: z.array(DEPLOYMENT),
    next_before: deploymentNumber.nullable().describe('Value of `before` for the next page; null on the last page.'),
  })
  .meta({ id: 'Deployments' });

export type DeploymentBody = z.infer<typeof DEPLOYMENT>;
export type ReplicaBody = z.infer<typeof REPLICA>;
export type ActivePolicyBody = z.infer<typeof ACTIVE_POLICY>;
export type DeploymentAnswer = z.infer<typeof DEPLOYMENT_ANSWER>;
