import { jsonSchema } from '../../../plugins/json-schema/json-schema.js';
import { FACTS } from '../../core/decision/testdata/judge.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { compilePolicy } from '../../core/policy/compile-policy.js';
import { PLUGINS } from '../../core/policy/testdata/plugins.js';
import { DETECTORS, FILE, head, must } from '../../core/policy/testdata/sample-policy.js';
import { backtest, recorded, type Call } from './testdata/records.js';

const CATALOG: PluginCatalog = { ...PLUGINS, structures: [...PLUGINS.structures, jsonSchema] };

function policyOf(plugin: string, stage: string, when: string, detectors = DETECTORS): CompiledPolicy {
  const rule = `{ id: r0, stage: ${stage}, when: ${when}, then: { action: block }, on_unknown: match }`;
  const text = `${head('', 'staging')}${detectors}${plugin === '' ? '' : `  ${plugin}\n`}rules:\n  - ${rule}\n`;
  return must(compilePolicy({ environment: 'staging', files: [{ path: FILE, text }], plugins: CATALOG }));
}

const VALID = { declared: true, valid: true, errors: 0, wrong: [] };
const answer: Call = { stage: 'post', facts: { ...FACTS, output_schema: VALID }, metadata: {} };
const toolCall: Call = {
  stage: 'tool',
  facts: { ...FACTS, tool: { name: 'run', args: {} }, tool_schema: VALID },
  metadata: {},
};

const withAnswerSchema = (): CompiledPolicy =>
  policyOf('schemas: { plugin: json-schema@^1, output: { type: object } }', 'post', '{ output_schema.valid: false }');

describe('Recorded facts of structure plugins', () => {
  const cannotTell = (fact: string) => ({ unchanged: 0, cannotTell: { count: 1, because: [{ fact, count: 1 }] } });

  it('are the same under a policy with the same options of the plugin', async () => {
    const policy = policyOf('schemas: { plugin: json-schema@^1 }', 'post', '{ output_schema.valid: false }');
    const other = policyOf('schemas: { plugin: json-schema@^1 }', 'post', '{ output_schema.errors: { gt: 0 } }');
    const { event } = await recorded(policy, answer);
    expect(await backtest(other, [event])).toMatchObject({ unchanged: 1, cannotTell: { count: 0 } });
  });

  it('are unknown if the policy has another schema for answers', async () => {
    const before = policyOf('schemas: { plugin: json-schema@^1 }', 'post', '{ output_schema.valid: false }');
    const after = withAnswerSchema();
    const { event } = await recorded(before, answer);
    expect(await backtest(after, [event])).toMatchObject(cannotTell('output_schema.valid'));
  });

  it('are unknown if the options are set for the first time', async () => {
    const before = policyOf('', 'post', '{ output_schema.valid: false }');
    const after = withAnswerSchema();
    const { event } = await recorded(before, answer);
    expect(await backtest(after, [event])).toMatchObject(cannotTell('output_schema.valid'));
  });

  it('are unknown for another revision of the plugin', async () => {
    const policy = policyOf('', 'post', '{ output_schema.valid: false }');
    const newer = {
      ...policy,
      readers: policy.readers.map((one) => ({
        ...one,
        revision: one.revision + (one.plugin === 'json-schema' ? 1 : 0),
      })),
    };
    const { event } = await recorded(policy, answer);
    expect(await backtest(newer, [event])).toMatchObject(cannotTell('output_schema.valid'));
  });

  it('are unknown also if the plugin’s entry has the name of its facts', async () => {
    const entry = (options: string): string => `tool_schema: { plugin: json-schema@^1${options} }`;
    const before = policyOf(entry(''), 'tool', '{ tool_schema.valid: false }');
    const after = policyOf(entry(', unknown_arguments: refuse'), 'tool', '{ tool_schema.valid: false }');
    const { event } = await recorded(before, toolCall);
    expect(await backtest(after, [event])).toMatchObject(cannotTell('tool_schema.valid'));
  });

  it('are unknown in records that were made before the plugin existed', async () => {
    const policy = policyOf('', 'post', '{ output_schema.valid: false }');
    const { event } = await recorded({ ...policy, readers: [] }, { ...answer, facts: FACTS });
    expect(await backtest(policy, [event])).toMatchObject(cannotTell('output_schema.valid'));
  });

  it('are not concerned by a detector that the policy no longer has', async () => {
    const before = policyOf('', 'tool', '{ tool.name: { in: [run, send] } }');
    const after = policyOf(
      '',
      'tool',
      '{ tool.name: { in: [run, send] } }',
      'detectors:\n  secrets: { plugin: secrets@^1 }\n',
    );
    const { event } = await recorded(before, toolCall);
    expect(await backtest(after, [event])).toMatchObject({ unchanged: 1, cannotTell: { count: 0 } });
  });
});
