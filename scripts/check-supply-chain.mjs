/**
 * `npm run check:supply-chain`: the file-based checks of OpenSSF Scorecard, and checks that workflows only run scripts of this repository
 * that `.ci/run` also runs, and scan each image that they build. `problemsOf` takes files by path, so that tests can plant problems.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';

/** Jobs with write permissions, and their scopes. */
const MAY_WRITE = { '.github/workflows/release.yml publish': ['attestations', 'contents', 'id-token'] };
const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/;
/** The part of `.ci/run` that builds and starts the image, and the settings of the step that then scans it for known vulnerabilities. */
const BUILDS_IMAGE = 'checks';
const SCAN = { image: 'weir:check', 'fail-build': true, 'severity-cutoff': 'high', 'only-fixed': true };
/** Triggers that run with write permissions or secrets on input from strangers. */
const DANGEROUS = ['pull_request_target', 'workflow_run', 'issue_comment'];
/** The first bytes of program and archive files. */
const BINARY = [
  '\x7fELF',
  'MZ',
  '\xca\xfe\xba\xbe',
  '\xcf\xfa\xed\xfe',
  '\0asm',
  'PK\x03\x04',
  '\x1f\x8b',
  '!<arch>\n',
];

/** @param {Map<string, Buffer>} files by path, from the root of the repository */
export function problemsOf(files) {
  const text = (path) => files.get(path)?.toString('utf8') ?? '';
  const workflows = [...files.keys()].filter((path) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path));
  const actions = [...files.keys()].filter((path) => /(?:^|\/)action\.ya?ml$/.test(path));
  const documents = new Map(workflows.map((path) => [path, parse(text(path))]));
  return [
    ...policyProblems(text),
    ...[...workflows, ...actions].flatMap((path) => pinProblems(path, text(path))),
    ...imageProblems(text('Dockerfile')),
    ...[...documents].flatMap(([path, document]) => workflowProblems(path, document)),
    ...[...documents].flatMap(([path, document]) => stepProblems(path, document, text)),
    ...[...documents].flatMap(([path, document]) => scanProblems(path, document)),
    ...([...documents.values()].some((document) => 'pull_request' in triggersOf(document))
      ? []
      : ['no workflow runs for pull requests']),
    ...[...files].flatMap(([path, content]) => binaryProblems(path, content)),
  ];
}

function policyProblems(text) {
  const problems = [];
  if (!text('LICENSE').includes('Apache License')) problems.push('LICENSE is missing or is not the Apache License');
  const security = text('SECURITY.md');
  if (!/vulnerabilit/i.test(security) || !/\bdays\b/.test(security)) {
    problems.push('SECURITY.md does not say how to report a vulnerability and how long an answer takes');
  }
  const { updates = [] } = parse(text('.github/dependabot.yml')) ?? {};
  for (const ecosystem of ['npm', 'github-actions', 'docker']) {
    if (!updates.some((each) => each['package-ecosystem'] === ecosystem)) {
      problems.push(`.github/dependabot.yml does not update ${ecosystem}`);
    }
  }
  return problems;
}

function pinProblems(path, text) {
  return [...text.matchAll(/^[\s-]*uses:\s*(\S+)(.*)$/gm)]
    .filter(([, uses]) => !uses.startsWith('./'))
    .filter(([, uses, comment]) => !PINNED.test(uses) || !/^ # v\d+\.\d+\.\d+$/.test(comment))
    .map(([, uses]) => `${path}: ${uses} is not pinned by the whole hash of a commit, with its version as a comment`);
}

/** Images must be pinned by digest, because a tag can later refer to another image. */
function imageProblems(dockerfile) {
  const stages = [...dockerfile.matchAll(/^FROM\s+(\S+)(?:\s+AS\s+(\S+))?/gim)];
  const names = stages.map(([, , name]) => name);
  return stages
    .filter(([, image]) => !names.includes(image) && !/@sha256:[0-9a-f]{64}$/.test(image))
    .map(([, image]) => `Dockerfile: FROM ${image} is not pinned by its digest`);
}

function triggersOf({ on }) {
  if (typeof on === 'string') return { [on]: null };
  return Array.isArray(on) ? Object.fromEntries(on.map((name) => [name, null])) : (on ?? {});
}

function workflowProblems(path, document) {
  const problems = DANGEROUS.filter((name) => name in triggersOf(document)).map((name) => `${path} runs on ${name}`);
  const { permissions } = document;
  if (permissions === undefined) problems.push(`${path} takes whatever permissions the repository gives`);
  else if (permissions !== 'read-all' && writes(permissions).length > 0)
    problems.push(`${path} may write in every job`);
  for (const [name, job] of Object.entries(document.jobs)) {
    const extra = writes(job.permissions).filter((scope) => !MAY_WRITE[`${path} ${name}`]?.includes(scope));
    for (const scope of extra) problems.push(`${path}: the job ${name} may write ${scope}`);
  }
  return problems;
}

function writes(permissions = {}) {
  if (typeof permissions === 'string') return permissions === 'write-all' ? ['everything'] : [];
  return Object.entries(permissions ?? {}).flatMap(([scope, may]) => (may === 'write' ? [scope] : []));
}

function stepProblems(path, document, text) {
  const { scripts } = JSON.parse(text('package.json'));
  const gate = text('.ci/run');
  return Object.values(document.jobs)
    .flatMap(({ steps = [] }) => steps)
    .flatMap(({ run, uses = '', with: settings }) => {
      if (uses.startsWith('actions/checkout@') && settings?.['persist-credentials'] !== false) {
        return [`${path} leaves the token in the checkout (persist-credentials)`];
      }
      // `npm ci` installs exactly what the lock file names, as in the gate.
      if (run === undefined || run === '.ci/run' || run === 'npm ci') return [];
      if (run.includes('${{')) return [`${path} puts an expression into a command: ${run}`];
      const script = /^npm run ([\w:-]+)$/.exec(run)?.[1];
      if (script === undefined) return [`${path} runs something other than a script of the repository: ${run}`];
      if (scripts[script] === undefined) return [`${path} runs ${script}, which does not exist`];
      return new RegExp(`npm run (?:--silent )?${script}(?![\\w:-])`).test(gate)
        ? []
        : [`.ci/run does not run ${script}`];
    });
}

/** Each job that builds the image must scan it afterwards, and must fail if the scan does. */
function scanProblems(path, document) {
  return Object.entries(document.jobs).flatMap(([name, job]) => {
    const { steps = [] } = job;
    const built = steps.findIndex((step) => buildsImage(step, job));
    if (built === -1 || steps.slice(built + 1).some(scansImage)) return [];
    return [
      `${path}: the job ${name} builds the image without a scan that fails for serious vulnerabilities with a fix`,
    ];
  });
}

/** Whether a step builds the image. `.ci/run` does so unless the job or the step names only other parts of it in `CI_PART`. */
function buildsImage({ run, env = {} }, job) {
  if (run !== '.ci/run') return run === 'npm run check:image';
  const part = { ...job.env, ...env }.CI_PART;
  const parts = part === '${{ matrix.part }}' ? job.strategy?.matrix?.part : [part];
  return !Array.isArray(parts) || parts.some((each) => each === undefined || each === 'all' || each === BUILDS_IMAGE);
}

function scansImage({ uses = '', with: settings = {}, ...more }) {
  const isWhole = Object.entries(SCAN).every(([name, value]) => settings[name] === value);
  return uses.startsWith('anchore/scan-action@') && isWhole && !('if' in more) && !('continue-on-error' in more);
}

function binaryProblems(path, content) {
  const start = content.subarray(0, 16).toString('latin1');
  return BINARY.some((magic) => start.startsWith(magic)) && content.includes(0) ? [`${path} is a binary file`] : [];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const paths = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }).split('\0');
  const files = new Map(paths.filter((path) => path !== '').map((path) => [path, readFileSync(path)]));
  const problems = problemsOf(files);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`${files.size} files: no findings for the checks of OpenSSF Scorecard`);
}
