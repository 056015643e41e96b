import type { Draft, ImportAction } from './draft.js';
import { entityOfRecognizer } from './entities.js';
import type { SourceNode } from './source-node.js';

/** Below this score, Presidio relies on context words near the match, which regular expressions in Weir do not consider. */
const WEAK_SCORE = 0.5;
/** Flags of Python's regular expressions; Presidio sets the first three by default. */
const FLAGS = { ignoreCase: 2, multiline: 8, dotAll: 16, verbose: 64, ascii: 256 } as const;
const USUAL_FLAGS = 26;

/** Imports recognizers of Presidio: a registry file, or one or several recognizers in the format of its API. */
export function importPresidio(file: SourceNode, draft: Draft, action: ImportAction): void {
  const registry = file.get('recognizer_registry') ?? file;
  const flags = Number(registry.textOf('global_regex_flags') ?? USUAL_FLAGS);
  for (const key of ['supported_languages', 'supported_countries']) {
    const filter = registry.get(key);
    if (filter !== undefined)
      draft.change(filter, 'the detectors of Weir do not depend on a language, and find numbers of every country');
  }
  const recognizers = registry.get('recognizers') ?? (file.items.length > 0 ? file : undefined);
  const all = recognizers?.list() ?? (file.entries.has('supported_entity') ? [file] : []);
  for (const one of all) recognizer(one, draft, action, flags);
}

function recognizer(one: SourceNode, draft: Draft, action: ImportAction, flags: number): void {
  // In registries an entry may be only the name of a recognizer.
  if (one.entries.size === 0) return draft.entity(one, entityOfRecognizer(one.text() ?? ''), action, ['pre']);
  if (one.switchOf('enabled') === false) {
    one.settle();
    return;
  }
  const name = one.textOf('name') ?? 'recognizer';
  const entities = [one.get('supported_entity'), ...(one.get('supported_entities')?.list() ?? [])].flatMap(
    (node) => node?.text() ?? [],
  );
  const [entity] = entities;
  const patterns = one.get('patterns')?.list() ?? [];
  const denied = one.get('deny_list')?.list() ?? [];
  for (const key of [
    'type',
    'supported_language',
    'supported_languages',
    'country_code',
    'class_name',
    'deny_list_score',
  ])
    one.get(key)?.settle();
  if (patterns.length === 0 && denied.length === 0) {
    const found = entities.length > 0 ? entities : [entityOfRecognizer(one.textOf('class_name') ?? name)];
    for (const each of found) draft.entity(one, each, action, ['pre']);
    return;
  }
  const context = one.get('context');
  if (context !== undefined)
    draft.lose(context, 'context words do not raise the score of a match: write them into the pattern');
  for (const pattern of patterns) {
    const score = Number(pattern.textOf('score') ?? 1);
    pattern.get('name')?.settle();
    if (has(flags, 'verbose')) {
      draft.lose(pattern, 'RE2 does not support expressions with comments and spaces (re.VERBOSE)');
      continue;
    }
    const code = draft.pattern(pattern, entity ?? name, pattern.textOf('regex') ?? '', {
      isCaseSensitive: !has(flags, 'ignoreCase'),
      isMultiline: has(flags, 'multiline'),
      isDotAll: has(flags, 'dotAll'),
      isAscii: has(flags, 'ascii'),
    });
    if (code === undefined) continue;
    const isWeak = score < WEAK_SCORE;
    if (isWeak)
      draft.change(pattern, `the rule only flags: a score of ${score} means little without context words nearby`);
    draft.act({ detector: 'patterns', action: isWeak ? 'flag' : action }, code, ['pre']);
  }
  const code =
    denied.length === 0
      ? undefined
      : draft.wordList(
          entity ?? name,
          denied.map((item) => [item, item.text()]),
        );
  if (code !== undefined) draft.act({ detector: 'words', action }, code, ['pre']);
}

function has(flags: number, name: keyof typeof FLAGS): boolean {
  return (flags & FLAGS[name]) !== 0;
}
