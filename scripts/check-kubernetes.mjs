/**
 * `npm run check:kubernetes`: checks the Helm chart with `helm lint`, and its rendered manifests and the plain manifests
 * against the strict schemas of Kubernetes. The plain manifests must be the chart rendered with its defaults. helm is found on the path, or
 * installed with Go; kubernetes-validate and its schemas are installed from PyPI. If either is not available, the script reports what was
 * not checked and exits with 3.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { differenceOf } from './rendered-chart.mjs';

const HELM = 'v3.16.4';
const KUBERNETES_VALIDATE = '1.37.0';
const CHART = 'deploy/helm/weir';
const MANIFESTS = 'deploy/kubernetes/weir.yaml';
const NOT_CHECKED = 3;
/** Values that operators set, so that each branch of the templates is rendered once. */
const VALUES = [
  [],
  [
    'storage.className=fast',
    'image.tag=1',
    'networkPolicy.fromNamespaces[0].matchLabels.team=a',
    'autoscaling.minReplicas=5',
  ],
];

const folder = resolve('node_modules/.cache/check-kubernetes');
mkdirSync(folder, { recursive: true });
const helm = helmProgram();
const validate = validateProgram();

must(helm, ['lint', '--strict', CHART]);
const rendered = VALUES.map((values, index) =>
  render(
    index,
    values.flatMap((one) => ['--set', one]),
  ),
);
// Numbers of a values file are floating-point numbers for Helm, as those of JSON are.
rendered.push(render(VALUES.length, ['--set-json', 'settings={"WEIR_TRIAL_EVENTS":2000000,"WEIR_BILLING":false}']));
mustContain(rendered.at(-1), ['{ name: WEIR_TRIAL_EVENTS, value: "2000000" }', 'value: "false"']);
mustBeRendered(readFileSync(MANIFESTS, 'utf8'), readFileSync(rendered[0], 'utf8'));
must(validate, ['--strict', MANIFESTS, ...rendered]);

/** Renders the chart to a file. @param {readonly string[]} words further arguments of helm */
function render(index, words) {
  const file = join(folder, `chart-${index}.yaml`);
  const { status, stdout } = spawnSync(helm, ['template', 'weir', CHART, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  // helm has printed the error; manifests that it did not render cannot be checked.
  if (status !== 0) process.exit(1);
  writeFileSync(file, stdout);
  return file;
}

function helmProgram() {
  if (runs('helm', ['version'])) return 'helm';
  const program = join(folder, `helm-${HELM}`, 'helm');
  if (existsSync(program)) return program;
  const { status } = spawnSync('go', ['install', `helm.sh/helm/v3/cmd/helm@${HELM}`], {
    stdio: ['ignore', 2, 2],
    env: { ...process.env, GOBIN: join(folder, `helm-${HELM}`) },
  });
  return status === 0 ? program : notChecked('helm is not on the path, and Go could not install it');
}

function validateProgram() {
  const environment = join(folder, `kubernetes-validate-${KUBERNETES_VALIDATE}`);
  const program = join(environment, 'bin', 'kubernetes-validate');
  if (existsSync(program)) return program;
  const isInstalled =
    runs('python3', ['-m', 'venv', environment]) &&
    runs(join(environment, 'bin', 'pip'), ['install', '--quiet', `kubernetes-validate==${KUBERNETES_VALIDATE}`]);
  return isInstalled ? program : notChecked('kubernetes-validate could not be installed from PyPI');
}

function runs(command, words) {
  return spawnSync(command, words, { stdio: 'ignore' }).status === 0;
}

/** Runs a check. When it fails, it has printed what is wrong, and the script ends: the next check would only hide that. */
function must(command, words) {
  if (spawnSync(command, words, { stdio: ['ignore', 1, 1] }).status !== 0) process.exit(1);
}

/** The operator without Helm must get what the chart installs. @param {string} chart rendered with its defaults */
function mustBeRendered(manifests, chart) {
  const difference = differenceOf(manifests, chart);
  if (difference === undefined) return;
  const lines = `- ${difference.manifest}\n+ ${difference.chart}`;
  console.error(`${MANIFESTS}:${difference.line}: not as rendered by: helm template weir ${CHART}\n${lines}`);
  // As in `must`: the script ends here, with the difference printed.
  process.exit(1);
}

/** @param {readonly string[]} texts that the manifests in the file must contain */
function mustContain(file, texts) {
  const missing = texts.filter((text) => !readFileSync(file, 'utf8').includes(text));
  if (missing.length === 0) return;
  console.error(`${file}: not rendered: ${missing.join(', ')}`);
  // As in `must`: this script is a check of its own process, which ends here with the reason printed.
  process.exit(1);
}

/** Ends the script with a separate status, so that CI can distinguish a missing tool from a failed check. */
function notChecked(reason) {
  console.error(`NOT CHECKED: ${reason}. Install it and run npm run check:kubernetes.`);
  process.exit(NOT_CHECKED);
}
