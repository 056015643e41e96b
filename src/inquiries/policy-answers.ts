import { sha256Hex } from '../bundles/index.js';
import type { Environment } from '../core/index.js';
import type { LocatedPolicy } from '../deployments/index.js';
import { TooCostly, type Inquiries } from './inquiries.js';
import type { DiffBody, EvaluateBody, EvaluatedBody, ExceptionsOfPolicy, RulesBody } from './schemas.js';
import type { PolicyTexts } from './tasks.js';

/** The maximum number of requests tried per changed rule. */
const MAX_REQUESTS = 500;
/** The maximum number of cached answers, whose texts never change. */
const MAX_KEPT = 200;

type Texts = Pick<LocatedPolicy, 'key' | 'environment' | 'hasTests' | 'bundle'>;

/** Answers questions about policies; answers that depend only on the texts are cached. */
export class PolicyAnswers {
  private readonly kept = new Map<string, Promise<unknown>>();

  constructor(
    private readonly inquiries: Inquiries,
    private readonly nowMs: () => number = () => Date.now(),
  ) {}

  async rules(accountId: string, policy: LocatedPolicy): Promise<RulesBody> {
    const answer = await this.keep(`${accountId} rules ${policy.key}`, async () =>
      this.inquiries.ask(accountId, 'rules', { policy: await textsOf(policy), nowMs: this.nowMs() }),
    );
    return { ...named(policy), ...answer };
  }

  /** The exceptions without their hits, which do not depend on the policy's texts. */
  async exceptions(accountId: string, policy: LocatedPolicy): Promise<ExceptionsOfPolicy> {
    const question = { policy: await textsOf(policy), nowMs: this.nowMs() };
    return { ...named(policy), ...(await this.inquiries.ask(accountId, 'exceptions', question)) };
  }

  /** @param without an exception to leave out of the later policy */
  async diff(accountId: string, from: LocatedPolicy, to: LocatedPolicy, without?: string): Promise<DiffBody> {
    const found = await this.keep(`${accountId} diff ${from.key} ${to.key} ${without ?? ''}`, async () => {
      const [before, after] = [await textsOf(from), await textsOf(to)];
      const ask = (maxRequests: number) =>
        this.inquiries.ask(accountId, 'diff', {
          ...{ from: before, to: after, nowMs: this.nowMs(), maxRequests },
          ...(without === undefined ? {} : { without }),
        });
      // The comparison of the texts is possible even without trying requests.
      return ask(MAX_REQUESTS).catch((error: unknown) => {
        if (error instanceof TooCostly) return ask(0);
        throw error;
      });
    });
    return { from: sideOf(from), to: sideOf(to), ...found };
  }

  /** @param policy null: the call is evaluated with the bundle in the body */
  async evaluate(
    accountId: string,
    environment: Environment,
    policy: LocatedPolicy | null,
    body: EvaluateBody,
  ): Promise<EvaluatedBody> {
    const { bundle, ...call } = body;
    const texts =
      policy === null
        ? { key: keyOf(environment, bundle?.files ?? []), environment, files: bundle?.files ?? [], tests: null }
        : await textsOf(policy);
    const question = { policy: texts, call, nowMs: this.nowMs() };
    const evaluated = await this.inquiries.ask(accountId, 'evaluate', question);
    return { ...evaluated, deployment: policy?.deployment ?? null };
  }

  private keep<T>(key: string, make: () => Promise<T>): Promise<T> {
    const known = this.kept.get(key) as Promise<T> | undefined;
    const answer = known ?? make();
    this.kept.delete(key);
    this.kept.set(key, answer);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MAX_KEPT && oldest !== undefined) this.kept.delete(oldest);
    answer.catch(() => this.kept.delete(key));
    return answer;
  }
}

/** The input of a thread for a policy. */
export async function textsOf({ key, environment, hasTests, bundle }: Texts): Promise<PolicyTexts> {
  const { files, tests } = await bundle();
  return { key, environment, files, tests: hasTests ? tests : null };
}

function keyOf(environment: Environment, files: PolicyTexts['files']): string {
  return sha256Hex(JSON.stringify([environment, files]));
}

function named({ digest, deployment }: LocatedPolicy) {
  return { digest, deployment };
}

function sideOf({ digest, deployment, environment }: LocatedPolicy) {
  return { digest, deployment, environment };
}
