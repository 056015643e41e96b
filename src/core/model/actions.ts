/**
 * The types shared by all of core: calls, facts, findings, decisions, compiled policies. They contain tables and hardly any behaviour.
 */

/** What an action of a rule is, in every respect that code asks about. */
interface ActionTraits {
  /** Over which others it wins; what does less is weaker. */
  readonly strength: number;
  /** Whether it does something to a call, where the rule is enforced. */
  readonly enforces: boolean;
  /** What a careless change makes of it: a mutant that tests should notice. Undefined where nothing weaker would tell. */
  readonly weaker: 'flag' | undefined;
  /** Where JSON names it: as the action of a violation, as the decision about a call. Every action can be a rule's. */
  readonly json: { readonly violation: boolean; readonly decision: boolean };
}

/**
 * Every action that a rule can have, weakest first. `allow` is an annotation (known good): no violation, and what lifts
 * `default: block`. What the actions do to a call is decided in `decide`, by a switch over all of them.
 */
export const RULE_ACTIONS = {
  allow: { strength: 0, enforces: false, weaker: undefined, json: { violation: false, decision: true } },
  flag: { strength: 1, enforces: false, weaker: undefined, json: { violation: true, decision: false } },
  redact: { strength: 2, enforces: true, weaker: 'flag', json: { violation: true, decision: true } },
  block: { strength: 3, enforces: true, weaker: 'flag', json: { violation: true, decision: true } },
} as const satisfies Record<string, ActionTraits>;

type Traits = typeof RULE_ACTIONS;

/** What a rule may say. */
export type RuleAction = keyof Traits;
/** What a rule that fired does about a call, or would do. */
export type Action = {
  [Name in RuleAction]: Traits[Name]['json']['violation'] extends true ? Name : never;
}[RuleAction];
/** What becomes of a call. */
export type DecisionAction = {
  [Name in RuleAction]: Traits[Name]['json']['decision'] extends true ? Name : never;
}[RuleAction];

/** In the order of their strength, weakest first. */
export const ACTION_NAMES = Object.keys(RULE_ACTIONS) as [RuleAction, ...RuleAction[]];
export const VIOLATION_ACTIONS = ACTION_NAMES.filter((name) => RULE_ACTIONS[name].json.violation) as [
  Action,
  ...Action[],
];
export const DECISION_ACTIONS = ACTION_NAMES.filter((name) => RULE_ACTIONS[name].json.decision) as [
  DecisionAction,
  ...DecisionAction[],
];

/** What a rule does to a call, where it is enforced. */
export type EnforcingAction = {
  [Name in RuleAction]: Traits[Name]['enforces'] extends true ? Name : never;
}[RuleAction];
export const ENFORCING_ACTIONS = ACTION_NAMES.filter((name) => RULE_ACTIONS[name].enforces) as [
  EnforcingAction,
  ...EnforcingAction[],
];

/**
 * Whether a call about which this was decided, or its answer, goes no further, or whether a rule that is enforced asks for
 * that. The doors ask nothing else, so a new action has to be answered for here before anything compiles.
 */
export function refuses(action: RuleAction | undefined): boolean {
  switch (action) {
    case 'block':
      return true;
    case 'allow':
    case 'flag':
    case 'redact':
    case undefined:
      return false;
  }
}

/** Whether what its rules mask is masked in a call about which this was decided. Nothing of a refused call goes on. */
export function masksTexts(decision: DecisionAction | undefined): boolean {
  switch (decision) {
    case 'redact':
      return true;
    case 'allow':
    case 'block':
    case undefined:
      return false;
  }
}

/** How strong an action is; a word that is none is as weak as `allow`. */
export function strengthOf(action: string | undefined): number {
  return action !== undefined && Object.hasOwn(RULE_ACTIONS, action) ? RULE_ACTIONS[action as RuleAction].strength : 0;
}

/** The strongest of what was decided: how rules of a stage, stages and tool calls come to one decision. */
export function strongestAction(actions: readonly DecisionAction[]): DecisionAction {
  return actions.reduce(
    (strongest, action) => (strengthOf(action) > strengthOf(strongest) ? action : strongest),
    'allow',
  );
}
