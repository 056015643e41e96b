import type { Draft, ImportAction, ImportStage } from './draft.js';
import type { SourceNode } from './source-node.js';

/** The stages in Weir for each mode of LiteLLM. */
export const STAGES_OF_MODE: Readonly<Record<string, readonly ImportStage[]>> = {
  pre_call: ['pre'],
  during_call: ['pre'],
  post_call: ['post'],
  logging_only: ['pre', 'post'],
};
/** The mode in which LiteLLM does not change calls. */
export const LOG_ONLY = 'logging_only';

const ACTIONS: Readonly<Record<string, ImportAction>> = { BLOCK: 'block', MASK: 'redact' };

function actionOf(node: SourceNode, key: string, usual: ImportAction): ImportAction {
  return ACTIONS[node.textOf(key)?.toUpperCase() ?? ''] ?? usual;
}

/** Imports a guardrail `litellm_content_filter`: patterns and words. Categories are noted as lost. */
export function importContentFilter(
  options: SourceNode,
  draft: Draft,
  stages: readonly ImportStage[],
  acted: (action: ImportAction) => ImportAction,
): void {
  for (const one of options.get('patterns')?.list() ?? []) {
    const action = acted(actionOf(one, 'action', 'block'));
    const kind = one.textOf('pattern_type');
    const name = one.textOf('pattern_name') ?? one.textOf('name') ?? 'pattern';
    if (kind === 'prebuilt') {
      draft.entity(one, name, action, stages);
    } else {
      const code = draft.pattern(one, name, one.textOf('pattern') ?? '', { isCaseSensitive: false });
      if (code !== undefined) draft.act({ detector: 'patterns', action }, code, stages);
    }
  }
  const lists = new Map<ImportAction, [SourceNode, string | undefined][]>();
  for (const one of options.get('blocked_words')?.list() ?? []) {
    one.get('description')?.settle();
    const action = acted(actionOf(one, 'action', 'block'));
    lists.set(action, [...(lists.get(action) ?? []), [one, one.textOf('keyword')]]);
  }
  for (const [action, entries] of lists) {
    const code = draft.wordList(action === 'redact' ? 'masked words' : 'blocked words', entries);
    if (code !== undefined) draft.act({ detector: 'words', action }, code, stages);
  }
  for (const one of options.get('categories')?.list() ?? [])
    draft.lose(one, 'the words of the category are part of LiteLLM: import the file of the category');
  const file = options.get('blocked_words_file');
  if (file !== undefined) draft.lose(file, 'import that file separately');
}

/** Whether a file is a category file or a file of `blocked_words`. */
export function isContentFile(file: SourceNode): boolean {
  return file.entries.has('category_name') || file.entries.has('blocked_words');
}

/** Imports a category file of LiteLLM's content filter, or a file of `blocked_words`. */
export function importContentFile(file: SourceNode, draft: Draft): void {
  for (const key of ['category_name', 'description', 'display_name']) file.get(key)?.settle();
  const action = actionOf(file, 'default_action', 'block');
  for (const [key, name] of [
    ['keywords', 'keywords'],
    ['always_block_keywords', 'always blocked'],
    ['blocked_words', 'blocked words'],
  ] as const) {
    const entries = (file.get(key)?.list() ?? []).map((one): [SourceNode, string | undefined] => {
      for (const other of ['severity', 'description', 'action']) one.get(other)?.settle();
      return [one, one.entries.size === 0 ? one.text() : one.textOf('keyword')];
    });
    const code = draft.wordList(name, entries);
    if (code !== undefined) draft.act({ detector: 'words', action }, code, ['pre']);
  }
  for (const one of file.get('phrase_patterns')?.list() ?? []) {
    const code = draft.pattern(one, 'phrase', (one.entries.size === 0 ? one.text() : one.textOf('pattern')) ?? '', {
      isCaseSensitive: false,
    });
    if (code !== undefined) draft.act({ detector: 'patterns', action }, code, ['pre']);
  }
  const [first, second] = ['identifier_words', 'additional_block_words'].map((key) => {
    const node = file.get(key);
    return node === undefined
      ? undefined
      : {
          node,
          code: draft.wordList(
            key,
            node.list().map((one) => [one, one.text()]),
          ),
        };
  });
  if (first?.code !== undefined && second?.code !== undefined) {
    draft.change(second.node, 'the rule only flags: the words match anywhere in the request, not only in one sentence');
    draft.pairs.push({ stage: 'pre', first: first.code, second: second.code });
  }
  const exceptions = file.get('exceptions');
  if (exceptions !== undefined && exceptions.items.length > 0)
    draft.lose(exceptions, 'exceptions are not imported: the author of a text could add their words to evade the rule');
  else exceptions?.settle();
  const parent = file.get('inherit_from');
  if (parent !== undefined) draft.lose(parent, 'import that file separately');
}
