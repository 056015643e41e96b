import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { isSeq, parseDocument, type Document } from 'yaml';
import {
  formatPolicyFile,
  missingTest,
  type MutantResult,
  type MutationInput,
  type PlainTest,
} from '../../../src/authoring/index.js';
import { CliError, EXIT } from '../../exit-code.js';
import type { CompiledProject } from '../../input/compiled-project.js';
import { cannotRead, cannotWrite } from '../../named-files.js';
import { replaceFile } from '../../replaced-file.js';

const FILE = 'mutants.test.yaml';
const HEAD = `# Tests written by \`weir mutate --write-tests\`: each detects a mistake that no other test detected. You can rename,
# reword and move the tests. They expect the decisions that the policy made when they were written.
apiVersion: weir/v1
kind: PolicyTest
title: Mistakes that no other test detects
environments: [ENVIRONMENTS]
# Defaults for every call. A value in a test takes precedence.
defaults:
  app: { id: app, name: web }
  key: { id: key, name: key }
tests: []
`;

/**
 * Appends to tests/mutants.test.yaml, for each surviving mutant that a request reveals, a test that detects the mutant. Mutants whose
 * tests would differ only in id and title share one test.
 *
 * @returns by the id of each mutant, the id and the file of its test as text
 * @throws CliError exit 2 if the file cannot be written, 3 if it exists and has no list of tests
 */
export async function writeMissingTests(
  results: readonly MutantResult[],
  { project, policies }: CompiledProject,
  input: MutationInput,
): Promise<Map<string, string>> {
  const written = new Map<string, string>();
  const tests: PlainTest[] = [];
  const file = path.join(project.root, 'tests', FILE);
  const document = await documentOf(file, [...policies.keys()]);
  const list = document.get('tests');
  if (!isSeq(list)) throw new CliError(EXIT.uncompilable, `tests/${FILE} has no list of tests to add to`);
  const taken = new Set(list.items.map((item) => String((item as { get?: (key: string) => unknown }).get?.('id'))));
  const known = new Map<string, string>();
  for (const { mutant, outcome } of results) {
    if (outcome.state !== 'survived') continue;
    const { environment, witness } = outcome;
    const version = mutant.versions.find((one) => one.environment === environment);
    const policy = policies.get(environment);
    if (version === undefined || policy === undefined) continue;
    const id = freeId(mutant.owners[0] ?? 'settings', taken);
    const title = `Detects: ${mutant.text}`.slice(0, 200);
    const common = { environment, policy, mutant: version.make(), witness, plugins: input.plugins, nowMs: input.nowMs };
    const test = await missingTest({ id, title, ...common });
    if (test === undefined) continue;
    const { id: _id, title: _title, ...rest } = test;
    const same = known.get(JSON.stringify(rest));
    if (same === undefined) {
      taken.add(id);
      tests.push(test);
      known.set(JSON.stringify(rest), id);
    }
    written.set(mutant.id, `${same ?? id} in tests/${FILE}`);
  }
  if (tests.length === 0) return written;
  for (const test of tests) list.add(document.createNode(test));
  list.flow = false;
  await save(file, inCanonicalForm(document.toString({ lineWidth: 120, flowCollectionPadding: true })));
  return written;
}

function freeId(owner: string, taken: ReadonlySet<string>): string {
  const base = owner
    .replace(/^exception:/, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  for (let n = 1; ; n++) {
    const id = `${base}-${n}`;
    if (!taken.has(id)) return id;
  }
}

async function documentOf(file: string, environments: readonly string[]): Promise<Document.Parsed> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw cannotRead(`tests/${FILE}`, error);
    text = HEAD.replace('ENVIRONMENTS', environments.join(', '));
  }
  return parseDocument(text, { version: '1.2' });
}

/** Formats the file as `weir fmt` does, so that `weir fmt --check` still passes afterwards. */
function inCanonicalForm(text: string): string {
  const result = formatPolicyFile(FILE, text);
  return result.kind === 'formatted' ? result.text : text;
}

async function save(file: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true });
    await replaceFile(file, text);
  } catch (error) {
    throw cannotWrite(`tests/${FILE}`, error);
  }
}
