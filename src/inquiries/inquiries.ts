import { extname } from 'node:path';
import { wholeCatalog, type PluginCatalog } from '../core/index.js';
import { invalidRequest, WeirError } from '../http/index.js';
import { CostlyParties, WorkerFailure, WorkerPool } from '../workers/index.js';
import { Analyst } from './analyst.js';
import { hostHere } from './worker-host.js';
import type { Answers, InquiryData, Outcome, Question, Questions } from './tasks.js';

const THREADS = 2;
const MEMORY_MB = 512;
/** A starting thread loads all plugins, so it is kept as long as it is used from time to time. */
const IDLE_MS = 15 * 60_000;
/** CPU time for one question. */
const WORK_MS = 10_000;
/** Limits of one account: its open questions, and a pause after a question that took long. */
const PARTY = { running: 16, shortMs: 1_000, rest: 2 };

/**
 * Answers questions about policies in threads, with limits on CPU time and memory, so that neither a large policy nor a long text
 * delays calls.
 */
export class Inquiries {
  /** A pool of threads, or an analyst in this process. */
  private readonly answering: WorkerPool | Promise<Analyst>;
  private readonly accounts: CostlyParties;

  /** @param data undefined if a thread could not load the plugins of this process: then this process answers the questions */
  constructor(plugins: PluginCatalog, data: InquiryData | undefined, nowMs: () => number = () => performance.now()) {
    this.accounts = new CostlyParties(PARTY, nowMs);
    if (data === undefined) {
      this.answering = wholeCatalog(plugins).then((catalog) => new Analyst(catalog, hostHere()));
      return;
    }
    const file = new URL(`./inquiry-worker${extname(import.meta.url)}`, import.meta.url);
    this.answering = new WorkerPool({ file, threads: THREADS, memoryLimitMb: MEMORY_MB, idleMs: IDLE_MS, data });
  }

  /** @throws WeirError 422 for an invalid question; 429 while the account exceeds its limits; 503 without an answer */
  async ask<Name extends Question>(accountId: string, name: Name, question: Questions[Name]): Promise<Answers[Name]> {
    this.begin(accountId);
    let tookMs = 0;
    try {
      const outcome = await this.outcomeOf(accountId, name, question);
      tookMs = outcome.workMs;
      if (outcome.kind === 'refused') throw invalidRequest([...outcome.details]);
      return outcome.answer;
    } catch (error) {
      if (!(error instanceof WorkerFailure)) throw error;
      tookMs = error.kind === 'timeout' || error.kind === 'memory' ? WORK_MS : 0;
      throw error.kind === 'timeout' || error.kind === 'memory' ? new TooCostly() : unanswered(error);
    } finally {
      this.accounts.end(accountId, tookMs);
    }
  }

  /** Called by the framework at shutdown: threads do not outlive the service. */
  async onApplicationShutdown(): Promise<void> {
    if (this.answering instanceof WorkerPool) await this.answering.close();
  }

  private async outcomeOf<Name extends Question>(
    accountId: string,
    name: Name,
    question: Questions[Name],
  ): Promise<Outcome<Name>> {
    const { answering } = this;
    if (!(answering instanceof WorkerPool)) return (await answering).answer(name, question);
    return answering.run<Outcome<Name>>(name, question, { workMs: WORK_MS, for: [accountId], long: name === 'diff' });
  }

  private begin(accountId: string): void {
    const refused = this.accounts.begin(accountId);
    if (refused === undefined) return;
    throw new WeirError('rate_limit_exceeded', {
      message: 'Too many evaluations of this account are running, or the last one took too long',
      retryAfterSeconds: Math.max(1, Math.ceil(refused.waitMs / 1_000)),
    });
  }
}

/** The answer exceeds the limit of CPU time or memory. */
export class TooCostly extends WeirError {
  constructor() {
    super('invalid_request', { message: 'The evaluation exceeds its limit of CPU time or memory' });
  }
}

function unanswered(cause: WorkerFailure): WeirError {
  return new WeirError('unavailable', { retryAfterSeconds: 5, cause });
}
