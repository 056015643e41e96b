import type { ActivePolicyBody, DeploymentBody, ReplicaBody } from '../core/index.js';
import type { Deployment } from './deployment.js';
import type { ActiveView } from './deployments.service.js';
import type { ReplicaView } from './replica-reports.js';

const VERSION_LENGTH = 12;

/** A deployment in the format of the API. */
export function deploymentView(one: Deployment): DeploymentBody {
  return {
    number: one.number,
    environment: one.environment,
    action: one.action,
    emergency: one.action === 'emergency',
    digest: one.policyDigest,
    version: one.policyDigest?.slice(0, VERSION_LENGTH) ?? null,
    bundle_digest: one.bundleDigest,
    base: { ...one.base },
    restores: one.restores,
    because: one.because,
    changed_files: [...one.changedFiles],
    waived_tests: [...one.waivedTests],
    untested: one.untested,
    signed_by: [...one.signedBy],
    serial: one.serial,
    source: { commit: one.sourceCommit, clean: one.sourceClean },
    token_id: one.by.kind === 'token' ? one.by.id : null,
    person_id: one.by.kind === 'person' ? one.by.id : null,
    by_name: one.by.name,
    created_at: new Date(one.createdAtMs).toISOString(),
  };
}

export function replicaView(one: ReplicaView): ReplicaBody {
  return {
    id: one.id,
    name: one.name,
    version: one.version,
    state: one.state,
    deployment: one.activeNumber,
    digest: one.activeDigest,
    problem: one.problem,
    tests_passed: one.testsPassed,
    heartbeat_at: new Date(one.heartbeatAtMs).toISOString(),
  };
}

export function activeView(
  environment: Deployment['environment'],
  { base, policyId, deployment }: ActiveView,
  replicas: readonly ReplicaView[],
): ActivePolicyBody {
  return {
    environment,
    source: deployment === null || deployment.bundleDigest === null ? 'folder' : 'deployment',
    policy: policyId,
    digest: base.digest,
    version: base.digest.slice(0, VERSION_LENGTH),
    base: { ...base },
    deployment: deployment === null ? null : deploymentView(deployment),
    replicas: replicas.map(replicaView),
  };
}
