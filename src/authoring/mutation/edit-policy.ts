import type { TopLevelCondition } from 'json-rules-engine';
import { STAGES, type Stage } from '../../core/model/fact.js';
import type {
  CompiledException,
  CompiledPolicy,
  CompiledRule,
  NamedRule,
  StageRules,
} from '../../core/model/compiled-policy.js';
import { exceptionRuleName } from '../../core/policy/engine-rules.js';

/** A condition of an engine rule as plain data. */
export type EngineCondition = { readonly [key: string]: unknown };
/** Returns the changed condition; undefined removes it. */
export type ConditionEdit = (condition: EngineCondition) => EngineCondition | undefined;

/** Like all functions here, returns a changed copy of the compiled policy; the arguments are not changed. */
export function editRule(
  policy: CompiledPolicy,
  id: string,
  edit: (rule: CompiledRule) => CompiledRule,
): CompiledPolicy {
  return { ...policy, rules: policy.rules.map((rule) => (rule.id === id ? edit(rule) : rule)) };
}

export function removeRule(policy: CompiledPolicy, id: string): CompiledPolicy {
  return {
    ...policy,
    rules: policy.rules.filter((rule) => rule.id !== id),
    stages: eachStage(policy, (rules) => rules.filter(({ name }) => name !== id)),
  };
}

/** Edits the condition of a rule or of `exception:<id>`, in all its compiled forms. */
export function editCondition(policy: CompiledPolicy, owner: string, edit: ConditionEdit): CompiledPolicy {
  return {
    ...policy,
    stages: eachStage(policy, (rules) =>
      rules.map((rule) => {
        if (rule.name !== owner) return rule;
        const edited = edit(rule.conditions) ?? { all: [] };
        const isGroup = 'all' in edited || 'any' in edited;
        return { ...rule, conditions: (isGroup ? edited : { all: [edited] }) as unknown as TopLevelCondition };
      }),
    ),
  };
}

/** Edits one node of a condition, at a path of positions in nested groups. */
export function editAt(path: readonly number[], edit: ConditionEdit): ConditionEdit {
  const [position, ...rest] = path;
  if (position === undefined) return edit;
  return (condition) => {
    const kind = 'all' in condition ? 'all' : 'any';
    const items = condition[kind] as readonly EngineCondition[];
    const changed = items.flatMap((item, index) => (index === position ? (editAt(rest, edit)(item) ?? []) : [item]));
    return { ...condition, [kind]: changed };
  };
}

/** Flips `on_unknown` of a rule, in its condition as written and as certain. */
export function flipUnknown(policy: CompiledPolicy, id: string): CompiledPolicy {
  const flipped = policy.rules.find((rule) => rule.id === id)?.onUnknown === 'match' ? 'no_match' : 'match';
  const [written, certain] = flipped === 'match' ? ['closed', 'known'] : ['open', 'open'];
  const reading = (rules: readonly NamedRule[], name: string): NamedRule[] =>
    rules.map((rule) => (rule.name === id ? { ...rule, conditions: withReading(rule.conditions, name) } : rule));
  const stages = Object.fromEntries(
    STAGES.map((stage): [Stage, StageRules] => {
      const rules = policy.stages[stage];
      return [
        stage,
        { ...rules, asWritten: reading(rules.asWritten, written), certain: reading(rules.certain, certain) },
      ];
    }),
  ) as Record<Stage, StageRules>;
  return editRule({ ...policy, stages }, id, (rule) => ({ ...rule, onUnknown: flipped }));
}

function withReading(condition: TopLevelCondition, reading: string): TopLevelCondition {
  const change = (node: EngineCondition): EngineCondition => {
    for (const kind of ['all', 'any'] as const) {
      if (kind in node) return { ...node, [kind]: (node[kind] as readonly EngineCondition[]).map(change) };
    }
    return { ...node, operator: String(node['operator']).replace(/^[a-z]+/, reading) };
  };
  return change(condition) as unknown as TopLevelCondition;
}

export function moveRule(policy: CompiledPolicy, id: string, to: Stage): CompiledPolicy {
  const from = policy.rules.find((rule) => rule.id === id)!.stage;
  const own = (rules: readonly NamedRule[]): NamedRule[] => rules.filter(({ name }) => name === id);
  const source = policy.stages[from];
  const target = policy.stages[to];
  const without = removeRule(policy, id).stages[from];
  const stages = {
    ...policy.stages,
    [from]: without,
    [to]: {
      ...target,
      asWritten: [...target.asWritten, ...own(source.asWritten)],
      certain: [...target.certain, ...own(source.certain)],
    },
  };
  return editRule({ ...policy, stages }, id, (rule) => ({ ...rule, stage: to }));
}

export function editException(
  policy: CompiledPolicy,
  id: string,
  edit: (exception: CompiledException) => CompiledException,
): CompiledPolicy {
  return { ...policy, exceptions: policy.exceptions.map((one) => (one.id === id ? edit(one) : one)) };
}

export function removeException(policy: CompiledPolicy, id: string): CompiledPolicy {
  return {
    ...policy,
    exceptions: policy.exceptions.filter((exception) => exception.id !== id),
    stages: eachStage(policy, (rules) => rules.filter(({ name }) => name !== exceptionRuleName(id))),
  };
}

export function dropListEntry(policy: CompiledPolicy, list: string, entry: string | number): CompiledPolicy {
  const kept = policy.lists[list]!.filter((other) => other !== entry);
  return { ...policy, lists: { ...policy.lists, [list]: kept } };
}

function eachStage(
  policy: CompiledPolicy,
  edit: (rules: readonly NamedRule[]) => readonly NamedRule[],
): Record<Stage, StageRules> {
  return Object.fromEntries(
    STAGES.map((stage) => {
      const { asWritten, certain, exceptions } = policy.stages[stage];
      return [stage, { asWritten: edit(asWritten), certain: edit(certain), exceptions: edit(exceptions) }];
    }),
  ) as Record<Stage, StageRules>;
}
