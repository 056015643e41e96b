import type { Draft, ImportStage } from './draft.js';
import type { SourceNode } from './source-node.js';

const STAGES: readonly (readonly [rail: string, stage: ImportStage | undefined])[] = [
  ['input', 'pre'],
  ['output', 'post'],
  ['retrieval', undefined],
];
const NEEDS_MODEL = 'it asks a model: a remote detector, see the guide';

/** The `config.yml` of NeMo Guardrails. */
export function importNemo(file: SourceNode, draft: Draft): void {
  const rails = file.get('rails');
  const config = rails?.get('config');
  for (const [rail, stage] of STAGES) {
    for (const flow of rails?.get(rail)?.get('flows')?.list() ?? []) {
      if (stage === undefined) draft.lose(flow, 'Weir judges what was retrieved as part of the request that holds it');
      else railFlow(flow, stage, config, draft);
    }
  }
}

function railFlow(flow: SourceNode, stage: ImportStage, config: SourceNode | undefined, draft: Draft): void {
  const name = (flow.text() ?? '').trim();
  const side = stage === 'pre' ? 'input' : 'output';
  if (name === `mask sensitive data on ${side}` || name === `detect sensitive data on ${side}`) {
    const options = config?.get('sensitive_data_detection')?.get(side);
    options?.get('score_threshold')?.settle();
    const entities = options?.get('entities')?.list() ?? [];
    if (entities.length === 0) draft.lose(flow, 'the file names no entities for it');
    for (const one of entities)
      draft.entity(one, one.text() ?? '', name.startsWith('mask') ? 'redact' : 'block', [stage]);
  } else if (name === `regex check ${side}`) {
    const options = config?.get('regex_detection')?.get(side);
    const isCaseSensitive = options?.switchOf('case_insensitive') !== true;
    const patterns = options?.get('patterns')?.list() ?? [];
    if (patterns.length === 0) draft.lose(flow, 'the file has no patterns for it');
    for (const one of patterns) {
      const code = draft.pattern(one, `${side} pattern`, one.text() ?? '', { isCaseSensitive });
      if (code !== undefined) draft.act({ detector: 'patterns', action: 'block' }, code, [stage]);
    }
  } else if (/^(?:check jailbreak|jailbreak detection (?:heuristics|model))$/.test(name) && stage === 'pre') {
    draft.change(flow, 'prompt injections are found by another model');
    config?.get('jailbreak_detection')?.settle();
    draft.act({ detector: 'prompt_injection', action: 'block', score: 0.5 }, 'score', [stage]);
  } else {
    draft.lose(flow, NEEDS_MODEL);
  }
}

/** Colang: a conversation as a program, of which rules can say nothing; each of its definitions is told. */
export function importColang(text: string, draft: Draft): void {
  for (const [index, line] of text.split('\n').entries()) {
    const [, kind = 'flow'] = /^(?:define\s+)?(flow|subflow|user|bot)\s+\S/.exec(line) ?? [undefined, undefined];
    if (!/^(?:define\s+)?(?:flow|subflow|user|bot)\s+\S/.test(line)) continue;
    const why =
      kind === 'bot'
        ? 'what a bot says is no rule; the `message` or `answer` of a rule is what a refused person reads'
        : 'a conversation as a program: rules judge single calls, and what came before in a session';
    draft.notes.push({ line: index + 1, path: '', isLost: true, why });
  }
}
