/** Bundles whose policies use the test detector, and the routes that deploy them. */
import { createHash, sign, type KeyObject } from 'node:crypto';
import { keyIdOf } from '../../src/bundles/index.js';
import {
  BUNDLE_PAYLOAD_TYPE,
  bundlePayload,
  compilePolicy,
  entryFiles,
  makeBundle,
  type Bundle,
  type BundleFile,
  type Environment,
  type PluginCatalog,
} from '../../src/core/index.js';
import { TEST_PLUGINS, testPolicy, type TestApp } from './test-app.js';

/** A test of the rule that blocks SSN words; it fails if that rule is missing. */
export const SSN_TEST: BundleFile = {
  path: 'tests/ssn.test.yaml',
  text: `
apiVersion: weir/v1
kind: PolicyTest
environments: [production]
clock: 2026-11-21T09:00:00Z
defaults: { app: { name: web } }
tests:
  - id: number-words-stay-inside
    text: "my {{SSN:ssn-7}}"
    expect: { action: block, reason: content_policy_violation, rules: [words.block-ssn] }
`,
};

/** The shared test policy; `title` makes its digest differ. */
export function policyFile(title: string, environment: Environment = 'production'): BundleFile {
  const text = testPolicy(environment, 'client_monitor_mode: ignore\ncontent: redacted');
  return { path: `${environment}/policy.yaml`, text: text.replace('Number words stay inside', title) };
}

export interface BundleOptions {
  readonly files?: readonly BundleFile[];
  readonly tests?: readonly BundleFile[];
  readonly environment?: Environment;
  readonly commit?: string;
  readonly plugins?: PluginCatalog;
}

/** A bundle as `weir build` makes it. */
export function testBundle(title: string, options: BundleOptions = {}): Bundle {
  const { environment = 'production', tests = [SSN_TEST], commit = null, plugins = TEST_PLUGINS } = options;
  const files = options.files ?? [policyFile(title, environment)];
  const entry = entryFiles(files, environment);
  const { policy, problems } = compilePolicy({ environment, files: [...files], entry, plugins });
  if (policy === undefined) throw new Error(problems.map(({ message }) => message).join('; '));
  const digest = createHash('sha256').update(policy.canonical).digest('hex');
  return makeBundle({ policy, digest, files, tests, source: { commit, clean: true } });
}

/** Signs like older versions, whose signatures cover neither the account nor the deployment number. */
export function signedBefore(bundle: Bundle, key: KeyObject): Bundle {
  const payload = Buffer.from(bundlePayload(bundle));
  const head = `DSSEv1 ${BUNDLE_PAYLOAD_TYPE.length} ${BUNDLE_PAYLOAD_TYPE} ${payload.length} `;
  const value = sign(null, Buffer.concat([Buffer.from(head), payload]), key).toString('base64');
  return { ...bundle, signatures: [{ key_id: keyIdOf(key), algorithm: 'ed25519', value }] };
}

export interface Answer {
  readonly status: number;
  // Assertions read single fields of answers; other tests check the schemas.
  readonly body: {
    readonly base: { number: number; digest: string };
    readonly deployment: Record<string, unknown> & { number: number };
    readonly replicas: (Record<string, unknown> & { state: string })[];
    readonly data: (Record<string, unknown> & { number: number })[];
    readonly error: { type: string; message: string; details: { path: string; message: string }[] };
  } & Record<string, unknown>;
}

/** A client for the policy routes of one replica. */
export class PolicyApi {
  constructor(
    private readonly app: { readonly url: string; readonly bootstrap: { readonly token: string } },
    private readonly environment: Environment = 'production',
    private readonly token = app.bootstrap.token,
  ) {}

  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(`${this.app.url}/v1/policies/${this.environment}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }

  active(): Promise<Answer> {
    return this.call('GET', '');
  }

  /** Deploys with the active deployment as its base. */
  async deploy(bundle: Bundle, more: object = {}): Promise<Answer> {
    const { base } = (await this.active()).body;
    return this.call('POST', '/deployments', { bundle, base, ...more });
  }

  async rollback(to: number, because: string): Promise<Answer> {
    const { base } = (await this.active()).body;
    return this.call('POST', '/rollback', { to, base, because });
  }

  async change(body: object): Promise<Answer> {
    const { base } = (await this.active()).body;
    return this.call('POST', '/emergency', { base, ...body });
  }
}

/** Sends a call. Returns the status of the answer, and the recorded digest of the policy that judged it. */
export async function judged(app: TestApp, content: string): Promise<{ status: number; digest: unknown }> {
  const id = `judged-${Math.random().toString(36).slice(2)}`;
  const response = await fetch(`${app.url}/v1/events`, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.bootstrap.keys.production}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      type: 'ai.request',
      event_id: id,
      request_id: id,
      payload: { messages: [{ role: 'user', content }] },
    }),
  });
  await response.arrayBuffer();
  const stored = await fetch(`${app.url}/v1/events/${id}`, {
    headers: { authorization: `Bearer ${app.bootstrap.token}` },
  });
  const record = (await stored.json()) as { policy?: { digest?: unknown } };
  return { status: response.status, digest: record.policy?.digest };
}
