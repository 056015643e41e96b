import type { Draft, ImportAction, ImportStage } from './draft.js';
import type { SourceNode } from './source-node.js';

const ACTIONS: Readonly<Record<string, ImportAction>> = { BLOCK: 'block', ANONYMIZE: 'redact', NONE: 'flag' };
/** The lower the strength of a filter, the higher the confidence that it requires. */
const SCORES: Readonly<Record<string, number>> = { HIGH: 0.5, MEDIUM: 0.7, LOW: 0.9 };
const DIRECTIONS = [
  ['pre', 'input'],
  ['post', 'output'],
] as const;

/** Normalises a key: CloudFormation writes `Name`, the API `name`. */
export function bedrockKey(key: string): string {
  return `${key.slice(0, 1).toLowerCase()}${key.slice(1)}`;
}

/**
 * Imports a guardrail of Amazon Bedrock: the output of `get-guardrail`, the input of `create-guardrail`, or a CloudFormation template.
 */
export function importBedrock(file: SourceNode, draft: Draft): void {
  for (const guardrail of guardrailsIn(file)) {
    for (const key of SETTLED) guardrail.get(key)?.settle();
    const messages = {
      pre: guardrail.textOf('blockedInputMessaging'),
      post: guardrail.textOf('blockedOutputsMessaging'),
    };
    sensitive(section(guardrail, 'sensitiveInformationPolicy'), draft, messages);
    words(section(guardrail, 'wordPolicy'), draft, messages);
    contents(section(guardrail, 'contentPolicy'), draft, messages);
    for (const topic of listOf(section(guardrail, 'topicPolicy'), 'topics'))
      draft.lose(topic, 'a topic that is defined by a description needs a model: use a remote detector, see the guide');
    for (const filter of listOf(section(guardrail, 'contextualGroundingPolicy'), 'filters'))
      draft.lose(filter, 'checking an answer against its sources needs a model: use a remote detector');
    const reasoning = section(guardrail, 'automatedReasoningPolicy');
    if (reasoning !== undefined) draft.lose(reasoning, 'Weir does not check texts by automated reasoning');
  }
}

type Messages = Readonly<Record<ImportStage, string | undefined>>;
const SETTLED = [
  ...[
    'name',
    'description',
    'guardrailId',
    'guardrailArn',
    'version',
    'status',
    'statusReasons',
    'createdAt',
    'updatedAt',
  ],
  ...['failureRecommendations', 'clientRequestToken', 'tags'],
];

function guardrailsIn(file: SourceNode): SourceNode[] {
  const resources = file.get('resources');
  if (resources === undefined) return [file.get('guardrail') ?? file];
  return [...resources.entries.keys()].flatMap((name) => {
    const resource = resources.get(name)!;
    if (resource.entries.get('type')?.value !== 'AWS::Bedrock::Guardrail') return [];
    resource.get('type')?.settle();
    return resource.get('properties') ?? [];
  });
}

/** A section of the guardrail. For example, API answers name it `wordPolicy` and API requests `wordPolicyConfig`. */
function section(guardrail: SourceNode, name: string): SourceNode | undefined {
  return guardrail.get(name) ?? guardrail.get(`${name}Config`);
}

function listOf(from: SourceNode | undefined, name: string): readonly SourceNode[] {
  return (from?.get(name) ?? from?.get(`${name}Config`))?.list() ?? [];
}

/** The action at each stage; none for a direction that is switched off. */
function asked(node: SourceNode, usual: ImportAction): { stage: ImportStage; action: ImportAction }[] {
  const both = node.textOf('action');
  return DIRECTIONS.flatMap(([stage, direction]) => {
    const own = node.textOf(`${direction}Action`);
    if (node.switchOf(`${direction}Enabled`) === false) return [];
    return [{ stage, action: ACTIONS[own ?? both ?? ''] ?? usual }];
  });
}

function withMessage(action: ImportAction, message: string | undefined): { action: ImportAction; message?: string } {
  return { action, ...(action === 'block' && message !== undefined && { message }) };
}

function sensitive(policy: SourceNode | undefined, draft: Draft, messages: Messages): void {
  for (const one of listOf(policy, 'piiEntities')) {
    const name = one.textOf('type') ?? '';
    const wanted = asked(one, 'redact');
    for (const { stage, action } of wanted)
      draft.entity(one, name, action, [stage], action === 'block' ? messages[stage] : undefined);
    if (wanted.length === 0) one.settle();
  }
  for (const one of listOf(policy, 'regexes')) {
    one.get('description')?.settle();
    const wanted = asked(one, 'redact');
    const code = draft.pattern(one, one.textOf('name') ?? 'pattern', one.textOf('pattern') ?? '', {
      isCaseSensitive: true,
    });
    if (code === undefined) continue;
    for (const { stage, action } of wanted)
      draft.act({ detector: 'patterns', ...withMessage(action, messages[stage]) }, code, [stage]);
  }
}

function words(policy: SourceNode | undefined, draft: Draft, messages: Messages): void {
  const lists = new Map<string, [SourceNode, string | undefined][]>();
  for (const one of listOf(policy, 'words')) {
    const wanted = asked(one, 'block').map(({ stage, action }) => `${action} ${stage}`);
    for (const key of wanted) lists.set(key, [...(lists.get(key) ?? []), [one, one.textOf('text')]]);
  }
  for (const [key, entries] of lists) {
    const [action, stage] = key.split(' ') as [ImportAction, ImportStage];
    const code = draft.wordList(stage === 'pre' ? 'words in requests' : 'words in answers', entries);
    if (code !== undefined) draft.act({ detector: 'words', ...withMessage(action, messages[stage]) }, code, [stage]);
  }
  for (const list of listOf(policy, 'managedWordLists')) draft.lose(list, 'AWS does not publish the words of its list');
}

function contents(policy: SourceNode | undefined, draft: Draft, messages: Messages): void {
  for (const filter of listOf(policy, 'filters')) {
    if (filter.textOf('type') !== 'PROMPT_ATTACK') {
      draft.lose(filter, 'recognising the subject of a text needs a model: use a remote detector, see the guide');
      continue;
    }
    const input = asked(filter, 'block').find(({ stage }) => stage === 'pre');
    const strength = filter.textOf('inputStrength') ?? 'HIGH';
    filter.get('outputStrength')?.settle();
    if (input === undefined || strength === 'NONE') continue;
    draft.change(
      filter,
      `Weir detects prompt injections with a different model: the strength ${strength} is converted to a score`,
    );
    const score = SCORES[strength] ?? 0.5;
    draft.act({ detector: 'prompt_injection', score, ...withMessage(input.action, messages.pre) }, 'score', ['pre']);
  }
}
