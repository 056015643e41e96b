/**
 * The types shared by all of core: calls, facts, findings, decisions, compiled policies. The files in this folder contain types and
 * tables, and hardly any behaviour.
 */

/** The properties of one kind of rule action. */
interface ActionTraits {
  /** The strongest of several actions wins; an action with less effect is weaker. */
  readonly strength: number;
  /** Whether the action affects a call if the rule is enforced. */
  readonly enforces: boolean;
  /**
   * The action after a careless change: a mutant that tests should notice. A rule that blocks names nothing to mask, so it becomes a
   * flag. Undefined if there is no weaker action.
   */
  readonly weaker: 'allow' | 'flag' | undefined;
  /** Whether the name of the action occurs in JSON as a violation's action or as the decision about a call. Rules can have every action. */
  readonly json: { readonly violation: boolean; readonly decision: boolean };
}

/**
 * Every action that a rule can have, weakest first. `allow` is an annotation (known good): it is not a violation, and it lifts
 * `default: block`. The effect of each action on a call is decided in `decide`, by a switch over all of them.
 */
export const RULE_ACTIONS = {
  allow: { strength: 0, enforces: false, weaker: undefined, json: { violation: false, decision: true } },
  flag: { strength: 1, enforces: false, weaker: 'allow', json: { violation: true, decision: false } },
  redact: { strength: 2, enforces: true, weaker: 'flag', json: { violation: true, decision: true } },
  block: { strength: 3, enforces: true, weaker: 'flag', json: { violation: true, decision: true } },
} as const satisfies Record<string, ActionTraits>;

type Traits = typeof RULE_ACTIONS;

/** An action that a rule may have. */
export type RuleAction = keyof Traits;
/** The action that a rule that fired takes on a call, or would take. */
export type Action = {
  [Name in RuleAction]: Traits[Name]['json']['violation'] extends true ? Name : never;
}[RuleAction];
/** The decision about a call. */
export type DecisionAction = {
  [Name in RuleAction]: Traits[Name]['json']['decision'] extends true ? Name : never;
}[RuleAction];

/** The names of all actions, weakest first. */
export const ACTION_NAMES = Object.keys(RULE_ACTIONS) as [RuleAction, ...RuleAction[]];
export const VIOLATION_ACTIONS = ACTION_NAMES.filter((name) => RULE_ACTIONS[name].json.violation) as [
  Action,
  ...Action[],
];
export const DECISION_ACTIONS = ACTION_NAMES.filter((name) => RULE_ACTIONS[name].json.decision) as [
  DecisionAction,
  ...DecisionAction[],
];

/** An action that affects a call if its rule is enforced. */
export type EnforcingAction = {
  [Name in RuleAction]: Traits[Name]['enforces'] extends true ? Name : never;
}[RuleAction];
export const ENFORCING_ACTIONS = ACTION_NAMES.filter((name) => RULE_ACTIONS[name].enforces) as [
  EnforcingAction,
  ...EnforcingAction[],
];

/**
 * Whether this decision refuses a call or its answer, or whether an enforced rule with this action requires that. Entry points call
 * only this function, so a new action must be handled here before anything compiles.
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

/** Whether the findings of masking rules are masked in a call with this decision. Nothing of a refused call is forwarded. */
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

/** The strength of an action; any other word is as weak as `allow`. */
export function strengthOf(action: string | undefined): number {
  return action !== undefined && Object.hasOwn(RULE_ACTIONS, action) ? RULE_ACTIONS[action as RuleAction].strength : 0;
}

/** The strongest of several decisions. Combines the decisions of a stage's rules, of several stages, and of several tool calls. */
export function strongestAction(actions: readonly DecisionAction[]): DecisionAction {
  return actions.reduce(
    (strongest, action) => (strengthOf(action) > strengthOf(strongest) ? action : strongest),
    'allow',
  );
}
