import type { RuleProperties } from 'json-rules-engine';
import type { BlockReason, RedactSpec, RuleAction, Severity } from './decision.js';
import type { FactDefinition, Stage } from './fact.js';
import type { PolicySources } from './policy-sources.js';

export type Environment = 'development' | 'staging' | 'production';
export const ENVIRONMENTS = ['development', 'staging', 'production'] as const satisfies readonly Environment[];

/** `refuse`: the call is refused. `drop`: the turn is removed. `replace`: its texts are replaced. */
export type OnBlockedHistory = 'refuse' | 'drop' | 'replace';

/** The treatment of content that no detector has read: refuse the call, report the content, or let it pass. */
export type UnreadAnswer = 'refuse' | 'flag' | 'pass';

export type ContentCapture = 'redacted' | 'full' | 'none';

/** One detector as the policy configures it, options already checked against the plugin's schema. */
export interface DetectorBinding {
  /** The key under `detectors`: the root name of its facts. */
  readonly key: string;
  readonly plugin: string;
  readonly version: string;
  readonly revision: number;
  readonly options: unknown;
  readonly codes: readonly string[];
  /** Lowest score that counts, per code. */
  readonly minScore: Readonly<Record<string, number>>;
  readonly timeoutMs: number;
}

/** A structure plugin with the options that the policy gives it, checked against the plugin's schema. */
export interface StructureBinding {
  /** The key under `detectors`. */
  readonly key: string;
  readonly plugin: string;
  readonly version: string;
  readonly revision: number;
  readonly options: unknown;
  /** For a ledger plugin: the root of the names of its facts. */
  readonly ledger?: string;
}

export interface CompiledRule {
  readonly id: string;
  readonly policy: string;
  readonly title: string;
  readonly stage: Stage;
  readonly severity: Severity;
  readonly category: string;
  readonly monitor: boolean;
  readonly action: RuleAction;
  readonly reason?: BlockReason;
  readonly detail?: string;
  readonly message: string;
  /** For a blocking rule: the answer that clients of the proxy get instead of an error. */
  readonly answer?: string;
  readonly onUnknown: 'match' | 'no_match';
  readonly redact?: RedactSpec;
  readonly evidence: readonly { readonly detector: string; readonly codes: 'all' | readonly string[] }[];
  /** The rule is enforced only for this share of API keys (by a hash of key id and rule id), and monitored for the others. */
  readonly rolloutPercent?: number;
  /** Day (`YYYY-MM-DD`) on which to review whether the monitored rule should be enforced. */
  readonly reviewBy?: string;
  /** Former ids of the rule. */
  readonly formerly: readonly string[];
  readonly tags: readonly string[];
}

export interface CompiledException {
  readonly id: string;
  readonly rules: readonly string[];
  readonly effect: 'monitor' | 'skip';
  readonly because: string;
  readonly approvedBy: string;
  readonly ticket: string;
  /** True if the exception applies to some calls only: its condition is in `StageRules.exceptions`. */
  readonly conditional: boolean;
  /** Milliseconds since the epoch; from this instant on, the exception has no effect. */
  readonly expiresAtMs: number;
}

/** A rule of json-rules-engine that has a name. */
export type NamedRule = RuleProperties & { readonly name: string };

/**
 * json-rules-engine rules of one stage, plain JSON, in the two readings of "unknown". A rule's `name` is its id, a leaf's
 * `name` is `<rule id>#<n>`, counted from 1 in the order of the rule's text.
 */
export interface StageRules {
  /** Unknown facts are treated as each rule's `on_unknown` defines. */
  readonly asWritten: readonly NamedRule[];
  /** Leaves with unknown facts are false, so the rules that match are certain matches. */
  readonly certain: readonly NamedRule[];
  /** The conditions of exceptions that name a rule of this stage, with unknown facts as false; `name` is `exception:<id>`. */
  readonly exceptions: readonly NamedRule[];
}

export interface BudgetDefinition {
  readonly id: string;
  readonly scope: readonly string[];
  readonly window: { readonly per: 'hour' | 'day' | 'week' | 'month' | 'total'; readonly timezone: string };
  readonly limit:
    { readonly unit: 'usd'; readonly nanoUsd: string } | { readonly unit: 'tokens'; readonly tokens: number };
  readonly warnAt: readonly number[];
  readonly onExceed: 'record' | 'block';
  /** A blocking budget allows calls with an unknown price; without this member, it refuses them. */
  readonly onUnknownPrice?: 'allow';
}

/** Prices of a model set by the operator: nano-dollars per million tokens, as text. Missing prices are as published. */
export interface PriceOverride {
  readonly input?: string;
  readonly output?: string;
  readonly cacheRead?: string;
  readonly cacheWrite?: string;
  readonly cacheWrite1h?: string;
  readonly reasoning?: string;
}

/** A structure plugin with its defaults. */
export interface StructureReader {
  readonly plugin: string;
  readonly version: string;
  readonly revision: number;
  /** Whether a condition of the policy reads one of the plugin's facts. */
  readonly isRead: boolean;
  /** For a ledger plugin: the root of the names of its facts. */
  readonly ledger?: string;
}

/** Events that are kept longer than the policy's retention, for a reason and until an instant. */
export interface LegalHold {
  readonly id: string;
  /** By `metadata.<path>`, `session`, `app` or `decision`: the value that the event must have. All of them must match. */
  readonly match: Readonly<Record<string, string>>;
  readonly because: string;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
}

/** How long an environment's events are kept. Absent: for ever. */
export interface Retention {
  /** Days for which the texts of calls are kept. */
  readonly contentDays?: number;
  /** Days for which everything else in an event is kept. */
  readonly recordsDays?: number;
  readonly holds: readonly LegalHold[];
}

/** An immutable policy of one environment, ready to evaluate. Everything in it is plain data. */
export interface CompiledPolicy {
  readonly id: string;
  readonly environment: Environment;
  readonly default: 'allow' | 'block';
  readonly monitor: boolean;
  readonly clientMonitorMode: 'honor' | 'ignore';
  readonly content: ContentCapture;
  /** Absent if the policy does not set it: everything is kept. */
  readonly retention?: Retention;
  /** Images, audio and video. */
  readonly media: UnreadAnswer;
  /** Bytes that can be neither recognised nor read: in calls from which a model reads prompts (`governed`), and in other calls. */
  readonly unread: { readonly governed: UnreadAnswer; readonly other: UnreadAnswer };
  /** Findings that a rule masks, in documents that cannot be rewritten and in content that a provider has signed. */
  readonly unmaskable: { readonly documents: 'refuse' | 'flag'; readonly signed: 'refuse' | 'flag' };
  readonly defaultMaxTokens?: number;
  readonly onDisconnect: 'abort' | 'drain';
  /** The treatment of a request that is blocked only because of an earlier turn. */
  readonly onBlockedHistory: OnBlockedHistory;
  readonly deadlineMs: Readonly<Record<Stage, number>>;
  readonly detectors: readonly DetectorBinding[];
  /** The plugins for which the policy sets options; the other plugins of the catalog have their defaults. */
  readonly structures: readonly StructureBinding[];
  /** The other structure plugins and ledger plugins of the catalog: their facts also depend on their revision. */
  readonly readers: readonly StructureReader[];
  readonly lists: Readonly<Record<string, readonly (string | number)[]>>;
  readonly facts: readonly FactDefinition[];
  readonly rules: readonly CompiledRule[];
  readonly exceptions: readonly CompiledException[];
  readonly budgets: readonly BudgetDefinition[];
  /** By `model` or `provider/model`; absent when the policy names no price. */
  readonly prices?: Readonly<Record<string, PriceOverride>>;
  readonly stages: Readonly<Record<Stage, StageRules>>;
  /** The places in the policy files; no decision depends on them. */
  readonly sources: PolicySources;
  /** Canonical JSON of the compiled form; the host takes the SHA-256 of it as the digest. */
  readonly canonical: string;
}

/** A problem in policy or test files. `code` is stable; positions count from 1. */
export interface PolicyProblem {
  readonly code: string;
  readonly level: 'error' | 'warning';
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Length of the marked span on that line, in characters. */
  readonly length: number;
  readonly hint?: string;
}
