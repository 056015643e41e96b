import path from 'node:path';
import { parse } from 'yaml';
import { fixFile, lintPolicies, type LintFinding, type LintReport } from '../../src/authoring/index.js';
import { ENVIRONMENTS, type CompiledPolicy, type Environment, type PluginCatalog } from '../../src/core/index.js';
import { yieldPoint } from '../yield-point.js';
import type { CommandContext } from '../command.js';
import { CliError, EXIT, usageError } from '../exit-code.js';
import type { Io } from '../io.js';
import { STDIN } from '../named-files.js';
import { unusedProjectParts } from './compiled-project.js';
import { policiesAt } from './policies-at.js';
import { stdinText } from './stdin-text.js';
import { hasErrors, kindOf, policiesRoot, readProject, type EnvironmentFiles, type Project } from './project.js';

export interface ScopeArgs {
  readonly paths: readonly string[];
  readonly since?: string;
  readonly stdinFilename?: string;
}

/** The files and environments that one run of `weir lint` checks. */
export interface LintScope {
  readonly environments: readonly Environment[];
  /** Every text that was read, by its path in findings. */
  readonly sources: ReadonlyMap<string, string>;
  readonly isStdin: boolean;
  lint(nowMs: number): Promise<LintReport>;
  /** Whether findings in this file are reported. */
  concerns(file: string): boolean;
  /** The new texts of files with fixable findings. */
  repair(report: LintReport): readonly { file: string; text: string; fixed: readonly LintFinding[] }[];
  /** The same scope with other texts. */
  with(texts: ReadonlyMap<string, string>): LintScope;
}

/**
 * Resolves the paths to a policies folder, environments, or single files, which are checked in every environment that loads them.
 *
 * @throws CliError exit 2 for unreadable paths, exit 7 if there is nothing to check
 */
export async function lintScope(args: ScopeArgs, context: CommandContext): Promise<LintScope> {
  const { io } = context;
  const catalog = await context.catalog();
  const fromStdin = args.paths.includes(STDIN);
  if (fromStdin && args.paths.length > 1) throw usageError('- cannot be combined with other files');
  const name = args.stdinFilename;
  if (fromStdin && name === undefined) return new Scope(await loneFile(io), catalog, io);
  const instead = new Map<string, string>();
  const named = fromStdin && name !== undefined;
  if (named) instead.set(path.resolve(io.cwd, name), await stdinText(io));
  const paths = named ? [name] : await Promise.all(args.paths.map((one) => pathOf(one, io)));
  const project = await readProject(io, { folder: await folderOf(paths, io, named), instead });
  const problems = [...project.problems, ...(await unusedProjectParts(project, io))];
  const before =
    args.since === undefined
      ? undefined
      : (await policiesAt(args.since, { project, catalog, policies: new Map() }, io)).policies;
  const chosen = chooseFiles(paths, project, io);
  const others = project.environments.filter((one) => !chosen.environments.includes(one));
  const elsewhere = new Set(others.flatMap(({ files }) => files.map((file) => file.path)));
  return new Scope(
    { project: { ...project, problems }, ...chosen, elsewhere, before, isStdin: fromStdin },
    catalog,
    io,
  );
}

interface Content {
  readonly project: Pick<Project, 'config' | 'tests' | 'sources' | 'problems'>;
  readonly environments: readonly EnvironmentFiles[];
  /** Undefined: all files. */
  readonly files: ReadonlySet<string> | undefined;
  readonly withTests: boolean;
  /** The files of environments that are not checked. */
  readonly elsewhere?: ReadonlySet<string>;
  readonly before?: ReadonlyMap<Environment, CompiledPolicy> | undefined;
  readonly isStdin: boolean;
}

class Scope implements LintScope {
  readonly sources: ReadonlyMap<string, string>;

  constructor(
    private readonly content: Content,
    private readonly catalog: PluginCatalog,
    private readonly io: Io,
  ) {
    this.sources = content.project.sources;
  }

  get environments(): readonly Environment[] {
    return this.content.environments.map(({ environment }) => environment);
  }

  get isStdin(): boolean {
    return this.content.isStdin;
  }

  async lint(nowMs: number): Promise<LintReport> {
    const { project, environments, withTests, elsewhere, before } = this.content;
    const report = await lintPolicies({
      environments,
      ...(withTests && { tests: project.tests }),
      plugins: this.catalog,
      nowMs,
      levels: project.config.lintLevels,
      maxExceptionMs: project.config.maxExceptionMs,
      ...(elsewhere !== undefined && { elsewhere }),
      ...(before !== undefined && { before }),
      pause: yieldPoint(this.io),
    });
    const own = project.problems.map((problem): LintFinding => ({ ...problem, fixable: false }));
    return {
      ...report,
      findings: [...own, ...report.findings],
      compiled: report.compiled && !hasErrors(project.problems),
    };
  }

  concerns(file: string): boolean {
    return this.content.files?.has(file) ?? true;
  }

  repair(report: LintReport): readonly { file: string; text: string; fixed: readonly LintFinding[] }[] {
    return repairs(report, this.sources, (file) => this.concerns(file));
  }

  with(texts: ReadonlyMap<string, string>): LintScope {
    const { project, environments } = this.content;
    const replace = <T extends { readonly path: string; readonly text: string }>(file: T): T => ({
      ...file,
      text: texts.get(file.path) ?? file.text,
    });
    const content: Content = {
      ...this.content,
      project: { ...project, tests: project.tests.map(replace), sources: new Map([...project.sources, ...texts]) },
      environments: environments.map((one) => ({ ...one, files: one.files.map(replace) })),
    };
    return new Scope(content, this.catalog, this.io);
  }
}

/** Resolves the name of an environment to its folder, unless a file or folder has this name; other paths stay unchanged. */
async function pathOf(name: string, io: Io): Promise<string> {
  const isEnvironment = ENVIRONMENTS.some((environment) => environment === name);
  if (!isEnvironment || (await kindOf(path.resolve(io.cwd, name))) !== undefined) return name;
  return path.join(await policiesRoot(io), name);
}

/**
 * Finds the policies folder that contains all paths; undefined without paths.
 *
 * @param isNew whether the path belongs to an unsaved text of an editor and may not exist
 */
async function folderOf(paths: readonly string[], io: Io, isNew: boolean): Promise<string | undefined> {
  const roots = new Set<string>();
  for (const one of paths) {
    let folder = path.resolve(io.cwd, one);
    const kind = await kindOf(folder);
    if (kind === undefined && !isNew) throw usageError(`there is no file or folder ${one}`);
    if (kind !== 'folder') folder = path.dirname(folder);
    const name = path.basename(folder);
    const isPart = ENVIRONMENTS.some((known) => known === name) || name === 'tests' || name.startsWith('_');
    roots.add(isPart ? path.dirname(folder) : folder);
  }
  if (roots.size > 1) throw usageError('the paths are in different policies folders: check one at a time');
  return [...roots][0];
}

function chooseFiles(
  paths: readonly string[],
  project: Project,
  io: Io,
): Pick<Content, 'environments' | 'files' | 'withTests'> {
  const names = paths.map((one) => path.relative(io.cwd, path.resolve(io.cwd, one)).split(path.sep).join('/') || '.');
  if (names.length === 0 || names.includes(project.name)) {
    return { environments: project.environments, files: undefined, withTests: true };
  }
  const below = project.name === '.' ? '' : `${project.name}/`;
  const whole = project.environments.filter(({ environment }) => names.includes(`${below}${environment}`));
  if (whole.length === names.length) return { environments: whole, files: undefined, withTests: true };
  const known = [...project.sources.keys()];
  const files = new Set<string>();
  for (const name of names) {
    const found = known.filter((file) => file === name || file.startsWith(`${name}/`));
    if (found.length === 0) throw new CliError(EXIT.nothing, `no environment loads ${name}: nothing was checked`);
    for (const file of found) files.add(file);
  }
  const isTest = project.tests.some((test) => files.has(test.path));
  const loading = project.environments.filter((one) => one.files.some((file) => files.has(file.path)));
  return { environments: isTest || loading.length === 0 ? project.environments : loading, files, withTests: true };
}

/** Reads a single policy from stdin, for the environment that it names (default: production). */
async function loneFile(io: Io): Promise<Content> {
  const text = await stdinText(io);
  const name = 'stdin.yaml';
  const named = environmentOf(text);
  const sources = new Map([[name, text]]);
  const config = { environments: ENVIRONMENTS, servers: new Map(), lintLevels: new Map(), maxExceptionMs: undefined };
  return {
    project: { config, tests: [], sources, problems: [] },
    environments: [{ environment: named, files: [{ path: name, text }], entry: [name] }],
    files: undefined,
    withTests: false,
    isStdin: true,
  };
}

function environmentOf(text: string): Environment {
  try {
    const document: unknown = parse(text, { version: '1.2', maxAliasCount: 0, logLevel: 'silent' });
    const named =
      typeof document === 'object' && document !== null && 'environment' in document ? document.environment : '';
    return ENVIRONMENTS.find((environment) => environment === named) ?? 'production';
  } catch {
    return 'production';
  }
}

/** The fixes for one report, by file. */
function repairs(
  report: LintReport,
  sources: ReadonlyMap<string, string>,
  concerns: (file: string) => boolean,
): { readonly file: string; readonly text: string; readonly fixed: readonly LintFinding[] }[] {
  return [...new Set(report.findings.map(({ file }) => file))].flatMap((file) => {
    const text = sources.get(file);
    if (text === undefined || !concerns(file)) return [];
    const result = fixFile(
      text,
      report.findings.filter((one) => one.file === file),
    );
    return result.text === text ? [] : [{ file, ...result }];
  });
}
