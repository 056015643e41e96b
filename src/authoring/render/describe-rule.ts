import { parseOperatorName } from '../../core/decision/policy-runtime.js';
import type { CompiledException, CompiledPolicy, CompiledRule } from '../../core/model/compiled-policy.js';
import { comparedFact, LISTS_FACT, type EngineLeaf } from '../../core/policy/engine-rules.js';
import type { RedactSpec } from '../../core/model/decision.js';
import { operatorNamed, OPERATORS } from '../../core/policy/operators.js';
import type { Stage } from '../../core/model/fact.js';

const STAGE_WORDS: Readonly<Record<Stage, string>> = {
  pre: 'Before a request reaches the provider',
  post: 'Before an answer reaches the application',
  tool: 'Before a tool call is made',
};

/**
 * Describes a rule in sentences, for people who do not read YAML. The text is derived from the compiled rule, so it describes the effective
 * rule.
 */
export function describeRule(rule: CompiledRule, policy: CompiledPolicy): string[] {
  const engine = policy.stages[rule.stage].asWritten.find(({ name }) => name === rule.id);
  const condition = engine === undefined ? [] : conditionLines(engine.conditions, policy, '');
  return [
    `${STAGE_WORDS[rule.stage]}, this rule ${effect(rule)} when:`,
    ...condition.map((line) => `  ${line}`),
    unknownSentence(rule),
    ...(rule.answer === undefined
      ? []
      : [`Clients of the proxy are answered ${JSON.stringify(rule.answer)} instead of an error.`]),
    ...(policy.monitor ? [`In ${policy.environment}, the whole policy only reports.`] : []),
    ...(rule.monitor ? ['The rule only reports: it is in monitor mode.'] : []),
    ...(rule.rolloutPercent === undefined ? [] : [`It is enforced for ${rule.rolloutPercent} % of the API keys.`]),
    ...policy.exceptions.filter(({ rules }) => rules.includes(rule.id)).map(exceptionSentence),
  ];
}

function effect({ action, reason, redact }: CompiledRule): string {
  switch (action) {
    case 'block':
      return `refuses it (${reason ?? 'content_policy_violation'})`;
    case 'redact': {
      const codes = redact?.targets.map(({ code }) => code) ?? [];
      const named =
        codes.length > 8 ? `${codes.slice(0, 8).join(', ')} and ${codes.length - 8} more` : codes.join(', ');
      return `masks ${named} as ${replacementOf(redact)}`;
    }
    case 'flag':
      return 'flags it and lets it through';
    case 'allow':
      return 'marks it as known to be good';
  }
}

function replacementOf(redact: RedactSpec | undefined): string {
  if (redact?.tokens === undefined) return redact?.with ?? '';
  return redact.restore === true ? 'stable tokens, which are replaced by the values in the answer,' : 'stable tokens';
}

function unknownSentence({ onUnknown, action }: CompiledRule): string {
  if (action === 'allow') return 'An unknown result never counts as a match.';
  return onUnknown === 'match'
    ? 'If the result is unknown because a detector did not answer, the rule counts as matched.'
    : 'If the result is unknown because a detector did not answer, the rule counts as not matched.';
}

function exceptionSentence({ id, effect: soft, because, expiresAtMs, conditional }: CompiledException): string {
  const who = conditional ? 'for the calls that match its condition' : 'for every call';
  const what = soft === 'skip' ? 'is left out' : 'only reports';
  return `Under the exception ${id}, the rule ${what} ${who} until ${new Date(expiresAtMs).toISOString()}: ${because}`;
}

function conditionLines(condition: object, policy: CompiledPolicy, indent: string): string[] {
  if ('fact' in condition) return [`${indent}${leafSentence(condition as EngineLeaf, policy)}`];
  const kind = 'all' in condition ? 'all' : 'any';
  const items = (condition as Record<string, readonly object[]>)[kind] ?? [];
  const name = 'name' in condition ? ` (${String(condition.name)})` : '';
  if (items.length === 1 && name === '') return conditionLines(items[0]!, policy, indent);
  const words = kind === 'all' ? 'all of these hold' : 'at least one of these holds';
  return [
    `${indent}${words}${name}:`,
    ...items.flatMap((item) => conditionLines(item, policy, `${indent}  - `.replace(/ - ( +)- /, '   $1- '))),
  ];
}

function leafSentence({ fact, path, operator, value }: EngineLeaf, policy: CompiledPolicy): string {
  const name = path === undefined ? fact : `${fact}.${path}`;
  const named = operatorNamed(parseOperatorName(operator).op);
  const summary = named === undefined ? operator : OPERATORS[named.positive]!.summary;
  const not = named?.negated === true ? 'it is not true that ' : '';
  return `${not}${name} ${summary} ${operand(value, policy)}`;
}

function operand(value: unknown, policy: CompiledPolicy): string {
  const isReference = typeof value === 'object' && value !== null && 'fact' in value && value.fact === LISTS_FACT;
  if (isReference && 'path' in value) {
    const name = String(value.path);
    return `the ${policy.lists[name]?.length ?? 0} entries of the list ${name}`;
  }
  const compared = comparedFact({ value });
  if (compared !== undefined) return compared;
  if (Array.isArray(value)) return value.map((entry) => String(entry)).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
