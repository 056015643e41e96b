import type { BundleFile, Environment, ErrorDetail, RecordedDecision } from '../core/index.js';
import type {
  CapturedBody,
  DiffBody,
  EvaluateBody,
  EvaluatedBody,
  ExceptionsOfPolicy,
  ExplainedBody,
  RulesBody,
} from './schemas.js';

/** The texts of a policy, as they are passed to a thread. */
export interface PolicyTexts {
  /** Equal for equal texts. */
  readonly key: string;
  readonly environment: Environment;
  readonly files: readonly BundleFile[];
  /** Null if the tests are unknown. */
  readonly tests: readonly BundleFile[] | null;
}

/** The input of each question, by its name. Everything is plain data, because it is sent to another thread. */
export interface Questions {
  readonly rules: { readonly policy: PolicyTexts; readonly nowMs: number };
  readonly exceptions: { readonly policy: PolicyTexts; readonly nowMs: number };
  readonly explain: {
    readonly policy: PolicyTexts | null;
    readonly record: RecordedDecision;
    readonly all: boolean;
  };
  readonly capture: { readonly policy: PolicyTexts; readonly record: RecordedDecision; readonly id: string };
  readonly diff: {
    readonly from: PolicyTexts;
    readonly to: PolicyTexts;
    readonly nowMs: number;
    readonly maxRequests: number;
    /** An exception to leave out of `to`. */
    readonly without?: string;
  };
  readonly evaluate: { readonly policy: PolicyTexts; readonly call: EvaluateBody; readonly nowMs: number };
}

type Found<Body> = Omit<Body, 'digest' | 'deployment'>;

export interface Answers {
  readonly rules: Found<RulesBody>;
  readonly exceptions: Found<ExceptionsOfPolicy>;
  readonly explain: Found<ExplainedBody>;
  readonly capture: CapturedBody;
  readonly diff: Pick<DiffBody, 'rules' | 'others' | 'complete'>;
  readonly evaluate: Omit<EvaluatedBody, 'deployment'>;
}

export type Question = keyof Questions;

/** The outcome of a question; `refused`: it is invalid. */
export type Outcome<Name extends Question> =
  | { readonly kind: 'answered'; readonly answer: Answers[Name]; readonly workMs: number }
  | { readonly kind: 'refused'; readonly details: readonly ErrorDetail[]; readonly workMs: number };

/** The data that a thread receives at its start. */
export interface InquiryData {
  /** npm names of packages with further plugins. */
  readonly packages: readonly string[];
}
