import { isObject, isStop, type JsonDocument, type Steps } from '../core/index.js';

/** Members that rules, budgets and the reading of answers depend on, on every route; in lower case. */
const SETTINGS: readonly string[] = ['model', 'stream', 'max_tokens', 'max_completion_tokens', 'max_output_tokens'];
/** Further ones of the recognised routes. Texts are not among them: all texts of a repeated member are judged. */
const FURTHER_SETTINGS: readonly string[] = [
  'background',
  'context_management',
  'conversation',
  'deferred',
  'functions',
  'generation_config',
  'generationconfig',
  'max_tool_calls',
  'n',
  'output_config',
  'output_format',
  'previous_response_id',
  'response_format',
  'service_tier',
  'store',
  'stream_options',
  'tool_choice',
  'tools',
  'web_search_options',
];
const ON_ANY_ROUTE: ReadonlySet<string> = new Set(SETTINGS);
const ON_RECOGNISED_ROUTES: ReadonlySet<string> = new Set([...SETTINGS, ...FURTHER_SETTINGS]);

/**
 * Finds a setting of a request that is given twice, whatever the case of its letters: parsers take the first or the last one, and those of Go
 * ignore the case. A provider could use another model, or another limit, than the one that was judged.
 *
 * @param governed whether the route is recognised
 */
export function* findingRepeated(
  { root }: JsonDocument,
  governed: boolean,
): Steps<{ readonly path: string; readonly message: string } | undefined> {
  if (!isObject(root)) return undefined;
  const settings = governed ? ON_RECOGNISED_ROUTES : ON_ANY_ROUTE;
  const seen = new Set<string>();
  for (const [index, { key }] of root.members.entries()) {
    if (isStop(index)) yield;
    // In upper case first: parsers of Go also take `\u017f` for `s`.
    const name = key.text.toUpperCase().toLowerCase();
    if (!settings.has(name)) continue;
    if (seen.has(name)) return { path: name, message: 'must be given only once, whatever the case of its letters' };
    seen.add(name);
  }
  return undefined;
}
