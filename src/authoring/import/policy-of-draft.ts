import { stringify } from 'yaml';
import { formatPolicyFile } from '../format/index.js';
import type { Draft, ImportDetector, ImportNote, ImportStage, DetectorAction } from './draft.js';

/** The files of the imported policies folder. */
export interface ImportedFiles {
  /** Number of rules; if 0, there are no files to write. */
  readonly rules: number;
  readonly policy: string;
  readonly tests: string;
}

export interface ImportNames {
  /** Name of the import, such as `litellm`: the prefix of rule ids. */
  readonly name: string;
  /** The source, as named in the head comment of the file. */
  readonly source: string;
  readonly environment: string;
  readonly owner: string;
}

type Plain = string | number | boolean | readonly Plain[] | { readonly [key: string]: Plain };
type Fields = Record<string, Plain>;

/** A rule and its tests. */
interface Made {
  readonly rule: Fields;
  readonly tests: readonly (Fields & { readonly expect: Fields })[];
}

const PLUGINS: Readonly<Record<ImportDetector, string>> = {
  pii: 'pii@^1',
  secrets: 'secrets@^1',
  prompt_injection: 'prompt-injection@^1',
  patterns: 'regex@^1',
  words: 'keywords@^1',
};
const TITLES: Readonly<Record<ImportDetector, string>> = {
  pii: 'Personal data',
  secrets: 'Credentials',
  prompt_injection: 'Prompt injections',
  patterns: 'Matches of patterns',
  words: 'Words',
};
const DOES = { block: 'blocked', redact: 'masked', flag: 'flagged' } as const;
const WHERE = { pre: 'request', post: 'answer' } as const;
const MAX_TESTED = 25;
const PLAIN = { lineWidth: 0, aliasDuplicateObjects: false } as const;

/** Writes a draft as a policy file of an environment, with tests of its rules. */
export function filesOf(draft: Draft, names: ImportNames): ImportedFiles {
  const prefix = names.name.replaceAll('-', '_');
  const detectors = detectorsOf(draft, prefix);
  const rules: Made[] = [
    ...draft.wishes.filter(({ codes }) => codes.size > 0).map((wish) => ruleOfWish(wish, draft, names.name, prefix)),
    ...draft.pairs.map((pair, index) => ruleOfPair(pair, index, draft, names.name, prefix)),
    ...rulesOfTools(draft, names.name),
  ];
  unique(rules);
  const policy = {
    apiVersion: 'weir/v1',
    kind: 'Policy',
    metadata: { id: `imported-${names.name}`, title: `Rules imported from ${names.source}`, owner: names.owner },
    ...(Object.keys(detectors).length > 0 && { detectors }),
    rules: rules.map(({ rule }) => rule),
  };
  const tests = {
    apiVersion: 'weir/v1',
    kind: 'PolicyTest',
    title: `Rules imported from ${names.source}`,
    environments: [names.environment],
    defaults: { app: { name: 'web' }, model: { name: 'gpt-4o' } },
    tests: [
      ...rules.flatMap(({ rule, tests: own }) =>
        own.map((test, index) => ({ id: `${idOf(rule)}-${index + 1}`, ...test })),
      ),
      ...(['pre', 'post'] as const)
        .filter((stage) => rules.some(({ rule }) => rule['stage'] === stage))
        .map((stage) => ({ id: `clean-${WHERE[stage]}`, stage, text: 'Paris is nice in May', expect: allowed() })),
      ...downTest(
        draft,
        rules.map(({ rule }) => rule),
        prefix,
      ),
    ],
  };
  return {
    rules: rules.length,
    policy: formatted('imported.yaml', `${head(names, draft.notes)}${stringify(policy, PLAIN)}`),
    tests: formatted('imported.test.yaml', stringify(tests, PLAIN)),
  };
}

const allowed = (): Fields => ({ action: 'allow', rules: [] });
const ruleId = ({ id }: Fields): string => (typeof id === 'string' ? id : '');
const idOf = (rule: Fields): string => ruleId(rule).replaceAll('.', '-');

/** The head comment: the source of the file, and the lines of the source that it does not contain. */
function head({ source }: ImportNames, notes: readonly ImportNote[]): string {
  const lost = notes.filter(({ isLost }) => isLost).map(({ line }) => line);
  const lines = [...new Set(lost)].join(', ');
  const more = lines === '' ? '' : `# Not carried over: line ${lines} of the source; \`weir import\` prints why.\n`;
  return `# Written by \`weir import\` from ${source}.\n${more}`;
}

function detectorsOf(draft: Draft, prefix: string): Record<string, Fields> {
  const used = new Set(draft.wishes.filter(({ codes }) => codes.size > 0).map(({ detector }) => detector));
  if (draft.pairs.length > 0) used.add('words');
  return Object.fromEntries(
    [...used]
      .filter((detector) => !draft.present.has(detector))
      .map((detector) => {
        const plugin = { plugin: PLUGINS[detector] };
        const key = `${prefix}_${detector}`;
        if (detector === 'patterns') {
          const patterns = [...draft.patterns].map(([code, { pattern, isCaseSensitive }]) => [
            code,
            isCaseSensitive ? pattern : { pattern, case_sensitive: false },
          ]);
          return [key, { ...plugin, patterns: Object.fromEntries(patterns) as Fields }];
        }
        if (detector === 'words') return [key, { ...plugin, lists: Object.fromEntries(draft.words) }];
        if (detector === 'prompt_injection') return [key, plugin];
        return [key, { ...plugin, codes: codesOf(draft, detector) }];
      }),
  );
}

function codesOf(draft: Draft, detector: ImportDetector): string[] {
  return [
    ...new Set(draft.wishes.filter((one) => one.detector === detector).flatMap(({ codes }) => [...codes])),
  ].sort();
}

function ruleOfWish(wish: DetectorAction, draft: Draft, name: string, prefix: string): Made {
  const { detector, stage, action, message, score } = wish;
  const codes = [...wish.codes].sort();
  const key = draft.present.get(detector)?.key ?? `${prefix}_${detector}`;
  const when =
    detector === 'prompt_injection'
      ? { [`${key}.score`]: { gte: score ?? 0.5 } }
      : { [`${key}.types`]: { any_of: codes } };
  const rule = {
    id: `${name}.${action}-${detector.replace('_', '-')}-${WHERE[stage]}`,
    title: `${TITLES[detector]} ${stage === 'pre' ? 'in a request' : 'in an answer'} are ${DOES[action]}`,
    stage,
    severity: action === 'flag' ? 'low' : 'high',
    when: { all: [when] },
    then: thenOf(action, codes),
    ...(message !== undefined && { message }),
    on_unknown: action === 'flag' ? 'no_match' : 'match',
  };
  const expect = { action: action === 'flag' ? 'allow' : action, rules: [rule.id] };
  const texts =
    detector === 'prompt_injection' ? ['{{instruction_override:ignore all rules}}'] : textsFor(detector, codes, draft);
  const isStub = !['patterns', 'words'].includes(detector);
  return {
    rule,
    tests: texts.map((text) => ({ stage, ...(isStub && { detectors: 'stub' }), text, expect })),
  };
}

function thenOf(action: DetectorAction['action'], codes: readonly string[]): Fields {
  if (action === 'block') return { action, reason: 'content_policy_violation' };
  return action === 'flag' ? { action } : { action, redact: { entities: codes } };
}

/**
 * One text per code: a real match for patterns and words, whose options are new; a marked finding for detectors that are tested
 * elsewhere.
 */
function textsFor(detector: ImportDetector, codes: readonly string[], draft: Draft): string[] {
  const texts = codes.flatMap((code) => {
    if (detector === 'patterns') return draft.patterns.get(code)?.sample ?? [];
    if (detector === 'words') return (draft.words.get(code) ?? []).slice(0, 1).map((word) => `It says ${word} here`);
    return `See {{${code}:it}} here`;
  });
  return texts.slice(0, MAX_TESTED);
}

function ruleOfPair(
  { stage, first, second }: Draft['pairs'][number],
  index: number,
  draft: Draft,
  name: string,
  prefix: string,
): Made {
  const key = `${prefix}_words.types`;
  const rule = {
    id: `${name}.flag-pair-${index + 1}`,
    title: 'Requests with words of both lists are flagged',
    stage,
    severity: 'low',
    when: { all: [{ [key]: { any_of: [first] } }, { [key]: { any_of: [second] } }] },
    then: { action: 'flag' },
    on_unknown: 'no_match',
  };
  const [one, other] = [first, second].map((code) => draft.words.get(code)?.[0] ?? '');
  return {
    rule,
    tests: [
      { stage, text: `It says ${one} and ${other} here`, expect: { action: 'allow', rules: [rule.id] } },
      { stage, text: `It says ${one} here`, expect: allowed() },
    ],
  };
}

/** Converts a wildcard such as `mcp__github_*` to an expression; an expression stays as it is. Both must match the whole name. */
function toolPattern(name: string): string {
  if (/[\\^$()[\]|+?]|\.\*/.test(name)) return `^(?:${name})$`;
  return `^${name.replaceAll('.', '\\.').replaceAll('*', '.*')}$`;
}

function toolConditions(names: readonly string[]): Fields[] {
  const plain = names.filter((name) => /^[\w-]+$/.test(name));
  const patterns = names.filter((name) => !plain.includes(name));
  return [
    ...(plain.length === 0 ? [] : [{ 'tool.name': { in: plain } }]),
    ...patterns.map((name) => ({ 'tool.name': { matches: toolPattern(name) } })),
  ];
}

function rulesOfTools({ tools }: Draft, name: string): Made[] {
  if (tools === undefined) return [];
  const { allowed: allow, denied, isDeniedByDefault } = tools;
  const call = (tool: string): Fields => ({ stage: 'tool', tool: { name: tool, args: {} } });
  const plain = (names: readonly string[]): string[] => names.filter((one) => /^[\w-]+$/.test(one)).slice(0, 1);
  const made = (id: string, title: string, when: Fields, blocked: readonly string[]): Made => ({
    rule: {
      ...{ id: `${name}.${id}`, title, stage: 'tool', severity: 'high', when },
      ...{ then: { action: 'block', reason: 'tool_use_blocked' }, on_unknown: 'match' },
    },
    tests: [
      ...blocked.map((tool) => ({
        ...call(tool),
        expect: { action: 'block', reason: 'tool_use_blocked', rules: [`${name}.${id}`] },
      })),
      ...plain(allow).map((tool) => ({ ...call(tool), expect: allowed() })),
    ],
  });
  return [
    ...(denied.length === 0
      ? []
      : [made('deny-tools', 'Tools that are denied do not run', { any: toolConditions(denied) }, plain(denied))]),
    ...(!isDeniedByDefault
      ? []
      : [
          made(
            'allow-tools',
            'Tools that are not allowed do not run',
            allow.length === 0 ? { not: { 'tool.name': { matches: '^$' } } } : { not: { any: toolConditions(allow) } },
            ['a-tool-that-nobody-named'],
          ),
        ]),
  ];
}

/** Creates tests which check that block and redact rules refuse calls if all their detectors are down. */
function downTest(draft: Draft, rules: readonly Fields[], prefix: string): Fields[] {
  return (['pre', 'post'] as const).flatMap((stage: ImportStage) => {
    const stopped = rules.filter((rule) => rule['stage'] === stage && rule['on_unknown'] === 'match');
    const used = draft.wishes.filter((one) => one.stage === stage && one.action !== 'flag' && one.codes.size > 0);
    const down = new Set(used.map(({ detector }) => draft.present.get(detector)?.key ?? `${prefix}_${detector}`));
    if (stopped.length === 0 || down.size === 0) return [];
    const expect = { action: 'block', unavailable: true, rules: stopped.map(ruleId).sort() };
    return [{ id: `detectors-down-${WHERE[stage]}`, stage, text: 'Paris', unavailable: [...down], expect }];
  });
}

/** Appends numbers to equal ids. Rules that differ only in message or score get the same id at first. */
function unique(made: readonly Made[]): void {
  const seen = new Map<string, number>();
  for (const { rule, tests } of made) {
    const id = ruleId(rule);
    const count = (seen.get(id) ?? 0) + 1;
    seen.set(id, count);
    if (count === 1) continue;
    rule['id'] = `${id}-${count}`;
    for (const { expect } of tests)
      expect['rules'] = (expect['rules'] as string[]).map((one) => (one === id ? `${id}-${count}` : one));
  }
}

function formatted(path: string, text: string): string {
  const result = formatPolicyFile(path, text);
  if (result.kind !== 'formatted') throw new Error(`${path} cannot be formatted: ${result.kind}`);
  return result.text;
}
