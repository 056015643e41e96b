import type { z } from 'zod';
import type { ProjectConfig } from '../../src/authoring/index.js';
import {
  ACTIVE_POLICY,
  BUNDLE_SCHEMA,
  DEPLOYMENT_ANSWER,
  HISTORY,
  type ActivePolicyBody,
  type Bundle,
  type DeploymentAnswer,
  type DeploymentBody,
  type Environment,
} from '../../src/core/index.js';
import { apiClient, ApiError, readAnswer, type ApiClient, type ServerFlags } from '../api/index.js';
import { CliError, EXIT } from '../exit-code.js';
import type { Io } from '../io.js';

const PAGE = 200;

export interface Base {
  readonly number: number;
  readonly digest: string;
}

/** Whether a flag or a variable names the server, which takes precedence over the project file. */
export function isServerChosen(flags: ServerFlags, io: Io): boolean {
  return [flags.url, flags.context, io.env['WEIR_URL'], io.env['WEIR_CONTEXT']].some((value) => (value ?? '') !== '');
}

/** The routes for policies of one environment; every response is validated. */
export class PolicyServer {
  private constructor(
    /** For routes other than those for policies. */
    readonly client: ApiClient,
    readonly environment: Environment,
    private readonly clientFor: (signal: AbortSignal) => Promise<ApiClient>,
  ) {}

  /** The same server with another abort signal, for the last requests after an interruption. */
  async under(signal: AbortSignal): Promise<PolicyServer> {
    return new PolicyServer(await this.clientFor(signal), this.environment, this.clientFor);
  }

  /**
   * Finds the server of an environment; the first source wins: `--url` or `WEIR_URL`, a named context, the project file, the current
   * context. So a project that names its servers is not deployed to another server by accident.
   */
  static async of(
    flags: ServerFlags,
    environment: Environment,
    io: Io,
    config?: Pick<ProjectConfig, 'servers'>,
  ): Promise<PolicyServer> {
    const url = isServerChosen(flags, io) ? undefined : config?.servers.get(environment);
    const chosen = url === undefined ? flags : { ...flags, url };
    const clientFor = (signal: AbortSignal): Promise<ApiClient> =>
      apiClient(chosen, { ...io, nowMs: () => io.nowMs(), signal });
    return new PolicyServer(await apiClient(chosen, io), environment, clientFor);
  }

  active(): Promise<ActivePolicyBody> {
    return this.get(ACTIVE_POLICY, '');
  }

  /** Fetches the bundle of a deployment, or without a number the bundle of the active policy. */
  bundle(number?: number): Promise<Bundle> {
    return this.get(BUNDLE_SCHEMA, number === undefined ? '/bundle' : `/deployments/${number}/bundle`);
  }

  deployment(number: number): Promise<DeploymentAnswer> {
    return this.get(DEPLOYMENT_ANSWER, `/deployments/${number}`);
  }

  /** Fetches at most `limit` deployments, newest first. */
  async history(limit: number): Promise<DeploymentBody[]> {
    const found: DeploymentBody[] = [];
    let before: number | null = null;
    do {
      const size = Math.min(PAGE, limit - found.length);
      const page: z.infer<typeof HISTORY> = await this.get(
        HISTORY,
        `/deployments?limit=${size}${before === null ? '' : `&before=${before}`}`,
      );
      found.push(...page.data);
      before = page.next_before;
    } while (before !== null && found.length < limit);
    return found;
  }

  deploy(body: object): Promise<DeploymentAnswer> {
    return this.post('/deployments', body);
  }

  rollback(body: { to: number; base: Base; because: string }): Promise<DeploymentAnswer> {
    return this.post('/rollback', body);
  }

  private async get<T>(schema: z.ZodType<T>, path: string): Promise<T> {
    return checked(schema, await this.client.get(`/v1/policies/${this.environment}${path}`));
  }

  /** @throws CliError exit 6 for a stale plan, 1 for a bundle rejected by the server, 4 for anything else */
  private async post(path: string, body: unknown): Promise<DeploymentAnswer> {
    try {
      const check = `weir history ${this.environment}`;
      const answer = await this.client.post(`/v1/policies/${this.environment}${path}`, body, check);
      return readAnswer(DEPLOYMENT_ANSWER, answer, check);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.type === 'stale_plan')
        throw new CliError(
          EXIT.stale,
          `${this.environment} changed after the plan was made; nothing was deployed: make a new plan`,
        );
      if (error.status === 422) throw new CliError(EXIT.findings, error.message);
      throw error;
    }
  }
}

function checked<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new CliError(
    EXIT.unavailable,
    'the answer does not have the format of this version of weir: does the server run another version?',
  );
}
