import type { Draft, ImportStage } from './draft.js';
import type { SourceNode } from './source-node.js';

const STAGES: readonly (readonly [rail: string, stage: ImportStage | undefined])[] = [
  ['input', 'pre'],
  ['output', 'post'],
  ['retrieval', undefined],
];
const NEEDS_MODEL = 'the flow needs a model: use a remote detector, see the guide';

/** Imports the `config.yml` of NeMo Guardrails. */
export function importNemo(file: SourceNode, draft: Draft): void {
  const rails = file.get('rails');
  const config = rails?.get('config');
  for (const [rail, stage] of STAGES) {
    for (const flow of rails?.get(rail)?.get('flows')?.list() ?? []) {
      if (stage === undefined)
        draft.lose(flow, 'Weir judges retrieved texts as part of the request that contains them');
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
    if (entities.length === 0) draft.lose(flow, 'the file contains no entities for this flow');
    for (const one of entities)
      draft.entity(one, one.text() ?? '', name.startsWith('mask') ? 'redact' : 'block', [stage]);
  } else if (name === `regex check ${side}`) {
    const options = config?.get('regex_detection')?.get(side);
    const isCaseSensitive = options?.switchOf('case_insensitive') !== true;
    const patterns = options?.get('patterns')?.list() ?? [];
    if (patterns.length === 0) draft.lose(flow, 'the file contains no patterns for this flow');
    for (const one of patterns) {
      const code = draft.pattern(one, `${side} pattern`, one.text() ?? '', { isCaseSensitive });
      if (code !== undefined) draft.act({ detector: 'patterns', action: 'block' }, code, [stage]);
    }
  } else if (/^(?:check jailbreak|jailbreak detection (?:heuristics|model))$/.test(name) && stage === 'pre') {
    draft.change(flow, 'Weir detects prompt injections with a different model');
    config?.get('jailbreak_detection')?.settle();
    draft.act({ detector: 'prompt_injection', action: 'block', score: 0.5 }, 'score', [stage]);
  } else {
    draft.lose(flow, NEEDS_MODEL);
  }
}

/** Notes each definition of a Colang file as lost: Colang describes a conversation as a program, which rules cannot express. */
export function importColang(text: string, draft: Draft): void {
  for (const [index, line] of text.split('\n').entries()) {
    const [, kind = 'flow'] = /^(?:define\s+)?(flow|subflow|user|bot)\s+\S/.exec(line) ?? [undefined, undefined];
    if (!/^(?:define\s+)?(?:flow|subflow|user|bot)\s+\S/.test(line)) continue;
    const why =
      kind === 'bot'
        ? 'bot texts are not imported: set the text for a refused caller as `message` or `answer` of a rule'
        : 'Colang flows are programs and cannot be imported: a rule judges only one call and the earlier calls of the session';
    draft.notes.push({ line: index + 1, path: '', isLost: true, why });
  }
}
