import type { Draft, ImportAction, ImportStage } from './draft.js';
import { isContentFile, importContentFile, importContentFilter, LOG_ONLY, STAGES_OF_MODE } from './litellm-content.js';
import type { SourceNode } from './source-node.js';

/** Imports the configuration of LiteLLM's proxy, or a file of words for its content filter. */
export function importLitellm(file: SourceNode, draft: Draft): void {
  if (isContentFile(file)) return importContentFile(file, draft);
  for (const guardrail of file.get('guardrails')?.list() ?? []) importGuardrail(guardrail, draft);
  const settings = file.get('litellm_settings');
  const banned = settings?.get('banned_keywords_list');
  if (banned !== undefined && banned.items.length > 0) {
    const code = draft.wordList(
      'banned keywords',
      banned.list().map((item) => [item, item.text()]),
    );
    if (code !== undefined) draft.act({ detector: 'words', action: 'block' }, code, ['pre']);
  }
  for (const callback of settings?.get('callbacks')?.list() ?? []) {
    const name = callback.text();
    if (name === 'detect_prompt_injection') injections(callback, draft);
    else if (name === 'hide_secrets') draft.credentials(['pre'], 'redact');
    else if (name === 'presidio') usualEntities(callback, draft, ['pre'], 'redact');
    else draft.lose(callback, 'Weir has no equivalent of this LiteLLM callback');
  }
}

/** Guardrails that can be converted, because they call no external service. */
const CARRIED = new Set(['presidio', 'litellm_content_filter', 'hide-secrets', 'tool_permission']);

function importGuardrail(guardrail: SourceNode, draft: Draft): void {
  guardrail.get('guardrail_name')?.settle();
  guardrail.get('guardrail_info')?.settle();
  const options = guardrail.get('litellm_params');
  if (options === undefined) return draft.lose(guardrail, 'the guardrail has no litellm_params');
  const kind = options.textOf('guardrail') ?? '';
  const { stages, isLogOnly } = stagesOf(options.get('mode'), draft, CARRIED.has(kind) && kind !== 'tool_permission');
  const isUsual = options.switchOf('default_on') === true;
  if (CARRIED.has(kind) && !isUsual)
    draft.change(
      options.get('default_on') ?? guardrail,
      'LiteLLM applies this guardrail to calls that name it, Weir to every call of the environment',
    );
  const acted = (action: ImportAction): ImportAction => (isLogOnly ? 'flag' : action);
  switch (kind) {
    case 'presidio':
      return presidio(options, draft, stages, acted);
    case 'litellm_content_filter':
      return importContentFilter(options, draft, stages, acted);
    case 'hide-secrets':
      return draft.credentials(stages, acted('redact'));
    case 'tool_permission':
      if (isLogOnly) return draft.lose(guardrail, 'the guardrail only logs tool calls and refuses none');
      return tools(guardrail, options, draft);
    case 'bedrock':
      return draft.lose(guardrail, 'export the guardrail with `aws bedrock get-guardrail`, and import the result');
    default:
      return draft.lose(
        guardrail,
        'the guardrail calls an external service or custom code: use a remote detector, see the guide',
      );
  }
}

/** @param isCarried whether the guardrail is converted to rules: only then the `logging_only` mode is noted */
function stagesOf(
  mode: SourceNode | undefined,
  draft: Draft,
  isCarried: boolean,
): { stages: ImportStage[]; isLogOnly: boolean } {
  const modes = (mode?.list() ?? []).map((one) => ({ one, name: one.text() ?? '' }));
  const isLogOnly = modes.length > 0 && modes.every(({ name }) => name === LOG_ONLY);
  const judged = modes.filter(({ name }) => isLogOnly || name !== LOG_ONLY);
  const stages = new Set(judged.flatMap(({ name }) => STAGES_OF_MODE[name] ?? []));
  for (const { one, name } of modes) {
    if (name === 'during_call') draft.change(one, 'calls are judged before they are sent, not in parallel');
    else if (name === LOG_ONLY && isCarried) noteLogging(one, isLogOnly, draft);
    else if (STAGES_OF_MODE[name] === undefined) draft.lose(one, 'Weir has no such mode');
  }
  return { stages: stages.size === 0 ? ['pre'] : [...stages], isLogOnly };
}

/**
 * Notes the `logging_only` mode: in this mode LiteLLM masks only its logs, while Weir's log masks the values that the rules of the
 * environment mask.
 */
function noteLogging(mode: SourceNode, isAlone: boolean, draft: Draft): void {
  if (isAlone) draft.change(mode, 'the rule flags: the policy setting `content` decides which texts the log stores');
  else draft.lose(mode, 'the policy setting `content` decides which texts the log stores');
}

function presidio(
  options: SourceNode,
  draft: Draft,
  stages: readonly ImportStage[],
  acted: (action: ImportAction) => ImportAction,
): void {
  const config = options.get('pii_entities_config');
  if (config === undefined || config.entries.size === 0) usualEntities(options, draft, stages, acted('redact'));
  for (const name of config?.entries.keys() ?? []) {
    const node = config?.get(name);
    if (node === undefined) continue;
    draft.entity(node, name, acted(node.text()?.toUpperCase() === 'BLOCK' ? 'block' : 'redact'), stages);
  }
  for (const key of ['output_parse_pii', 'presidio_filter_scope', 'presidio_score_thresholds', 'presidio_language'])
    if (options.entries.has(key)) draft.lose(options.get(key)!, REASONS[key]!);
  options.get('presidio_ad_hoc_recognizers')?.settle();
  if (options.entries.has('presidio_ad_hoc_recognizers'))
    draft.lose(options.get('presidio_ad_hoc_recognizers')!, 'import that file with `weir import presidio`');
}

const REASONS: Readonly<Record<string, string>> = {
  output_parse_pii: 'use `tokens: stable` to restore masked values in answers, see the guide to policies',
  presidio_filter_scope: 'the stages of the rules determine the scope',
  presidio_score_thresholds: 'scores of different detectors are not comparable: set `min_score` of the detector',
  presidio_language: 'the detectors of Weir do not depend on a language',
};

function usualEntities(node: SourceNode, draft: Draft, stages: readonly ImportStage[], action: ImportAction): void {
  const done = action === 'flag' ? 'flagged' : 'masked';
  draft.change(node, `the file names no entities: all entities that Presidio finds by patterns are ${done}`);
  draft.usualEntities(stages, action);
}

function injections(node: SourceNode, draft: Draft): void {
  draft.change(node, 'Weir detects prompt injections with a different model');
  draft.act({ detector: 'prompt_injection', action: 'block', score: 0.5 }, 'score', ['pre']);
}

/** LiteLLM applies the first rule that matches a tool; in Weir any rule that denies a tool is enough. */
function tools(guardrail: SourceNode, options: SourceNode, draft: Draft): void {
  if (draft.tools !== undefined)
    return draft.lose(
      guardrail,
      'the rules come from an earlier tool guardrail: write the rules for this guardrail by hand',
    );
  const lists = { allow: [] as string[], deny: [] as string[] };
  for (const rule of options.get('rules')?.list() ?? []) {
    rule.get('id')?.settle();
    const decision = rule.textOf('decision')?.toLowerCase() === 'allow' ? 'allow' : 'deny';
    const name = rule.textOf('tool_name') ?? '.*';
    const parameters = rule.get('allowed_param_patterns');
    if (parameters !== undefined) draft.lose(parameters, 'write a condition on `tool.args`');
    if (decision === 'deny' && lists.allow.length > 0)
      draft.change(rule, 'the denial takes precedence over earlier rules that allow the same tool');
    lists[decision].push(name);
  }
  const otherwise = options.textOf('default_action')?.toLowerCase();
  const refusal = options.get('on_disallowed_action');
  if (refusal !== undefined && refusal.text()?.toLowerCase() !== 'block')
    draft.change(refusal, 'a call of a disallowed tool is blocked, not removed from the answer');
  const message = options.get('violation_message_template');
  if (message !== undefined) draft.lose(message, 'the `message` of a rule cannot contain the name of the tool');
  draft.tools = { allowed: lists.allow, denied: lists.deny, isDeniedByDefault: otherwise !== 'allow' };
}
