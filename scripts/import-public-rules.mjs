/**
 * `npm run import:public-rules [-- folder]`: runs `weir import` on rule files that other systems publish in their Python
 * packages, and checks that its output passes lint and its own tests. Bedrock publishes no rules, but botocore contains the model of
 * its API, from which a guardrail with every possible option is generated.
 *
 * Downloads packages from PyPI (60 MB) into a temporary folder, or into the given folder, which keeps them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const PACKAGES = ['litellm==1.109.1', 'nemoguardrails==0.24.1', 'presidio-analyzer==2.2.366', 'botocore==1.44.5'];
const CONTENT = 'litellm/proxy/guardrails/content_filter_data';
const NEMO = 'nemoguardrails';
/** Files of the packages, each with the system whose rules it contains. Expected exit codes: 0 for rules, 7 for nothing to convert. */
const FILES = [
  ...['tool_permission_example', 'otel_test_config', 'test_pipeline_config'].map((name) => [
    'litellm',
    `litellm/proxy/example_config_yaml/${name}.yaml`,
  ]),
  ...['ibm_guardrails', 'generic_guardrail_api'].map((name) => [
    'litellm',
    `litellm/proxy/guardrails/guardrail_hooks/${name}/example_config.yaml`,
  ]),
  ...[
    'harmful_illegal_weapons',
    'harmful_self_harm',
    'bias_gender',
    'denied_financial_advice',
    'claims_phi_disclosure',
    'harmful_violence',
    'denied_legal_advice',
  ].map((name) => ['litellm', `${CONTENT}/categories/${name}.yaml`]),
  ...[
    'prompt_injection',
    'sql_injection',
    'eu_ai_act_article5',
    'sg_pdpa_personal_identifiers',
    'uae_anti_discrimination',
    'airline_brand_protection',
    'aviation_safety_topics',
  ].map((name) => ['litellm', `${CONTENT}/policy_templates/${name}.yaml`]),
  ...['default_recognizers', 'example_recognizers', 'default_analyzer_full'].map((name) => [
    'presidio',
    `presidio_analyzer/conf/${name}.yaml`,
  ]),
  ['nemo', `${NEMO}/examples/bots/abc/config.yml`],
  ['nemo', `${NEMO}/examples/bots/abc_v2/config.yml`],
  ['nemo', `${NEMO}/examples/bots/abc/rails/disallowed.co`],
  ['nemo', `${NEMO}/library/sensitive_data_detection/flows.v1.co`],
  ['bedrock', 'guardrail.json'],
];

function run() {
  fetchPackages();
  const project = join(folder, 'project');
  let failed = 0;
  for (const [system, file] of FILES) {
    const source = join(folder, 'site', file);
    if (!existsSync(source)) {
      console.log(`MISSING  ${file}`);
      failed += 1;
      continue;
    }
    rmSync(project, { recursive: true, force: true });
    mkdirSync(project);
    weir(project, 'init');
    const { status, json } = weir(project, 'import', system, source, '--json');
    const lost = json?.notes.filter(({ isLost }) => isLost).length ?? 0;
    const checks =
      status === 0
        ? ['fmt --check', 'lint', 'test imported-'].map((line) => [line, weir(project, ...line.split(' '))])
        : [];
    const broken = checks.filter(([, { status: exit }]) => exit !== 0);
    const isGood = broken.length === 0 && (status === 0 || status === 7);
    if (!isGood) failed += 1;
    const figures = `${json?.rules ?? 0} rules, ${json?.tests ?? 0} tests, ${lost} not carried over, ${(json?.notes.length ?? 0) - lost} otherwise`;
    console.log(
      `${isGood ? 'ok      ' : 'FAILED  '} ${system.padEnd(8)} ${basename(file).padEnd(36)} exit ${status}  ${figures}`,
    );
    for (const [line, { stdout, stderr }] of broken) console.log(`weir ${line}\n${stdout}${stderr}`);
  }
  console.log(`${FILES.length} files, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function weir(cwd, ...argv) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve('bin/weir.mjs'), ...argv], {
    cwd,
    encoding: 'utf8',
  });
  if (argv.includes('--json') && status !== 0 && status !== 7) console.log(stderr);
  return { status, stdout, stderr, json: argv.includes('--json') && stdout !== '' ? JSON.parse(stdout) : undefined };
}

/** Downloads the packages without their dependencies, and generates the guardrail from botocore's model. */
function fetchPackages() {
  const site = join(folder, 'site');
  if (!existsSync(join(site, 'litellm'))) {
    const pip = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--only-binary=:all:', '--target', site];
    execFileSync('python3', [...pip, ...PACKAGES], { stdio: 'inherit' });
  }
  const model = execFileSync('python3', ['-c', READ_MODEL, site], { encoding: 'utf8', maxBuffer: 1e8 });
  writeFileSync(
    join(site, 'guardrail.json'),
    `${JSON.stringify(exampleOf('CreateGuardrailRequest', JSON.parse(model)), null, 2)}\n`,
  );
}

const READ_MODEL = `
import gzip, sys
path = sys.argv[1] + '/botocore/data/bedrock/2023-04-20/service-2.json.gz'
print(gzip.decompress(open(path, 'rb').read()).decode())
`;

/** An example value of a shape of the API; a list of structures has one item for each value of their `type`. */
function exampleOf(name, { shapes }, key = '') {
  const shape = shapes[name];
  if (shape.type === 'structure')
    return Object.fromEntries(
      Object.entries(shape.members).map(([member, { shape: of }]) => [member, exampleOf(of, { shapes }, member)]),
    );
  if (shape.type === 'list') {
    const one = exampleOf(shape.member.shape, { shapes });
    const kinds = shapes[shapes[shape.member.shape].members?.type?.shape]?.enum;
    return (kinds ?? [undefined]).map((type) => (type === undefined ? one : { ...one, type }));
  }
  if (shape.type === 'map') return {};
  if (shape.type === 'boolean') return true;
  if (['double', 'float', 'integer', 'long'].includes(shape.type)) return 1;
  return shape.enum?.[0] ?? (key === 'pattern' ? String.raw`\bCASE-\d{6}\b` : `an ${key} to be seen`);
}

const wanted = process.argv[2];
const folder = wanted === undefined ? mkdtempSync(join(tmpdir(), 'weir-import-')) : resolve(wanted);
mkdirSync(folder, { recursive: true });
try {
  process.exitCode = run();
} finally {
  if (wanted === undefined) rmSync(folder, { recursive: true, force: true });
}
