import { compareText } from '../model/compare-text.js';
import type { Environment } from '../model/compiled-policy.js';
import { builtInPolicies, builtInPolicy, isBuiltIn } from './built-in/index.js';
import { DOCUMENT, type DocumentFields } from './policy-format.js';
import { readFileOnce } from './source/known-reading.js';
import { keySpan, kindOf, nodeAt, valueOf, type MapNode, type Span } from './source/node.js';
import type { Problems } from './source/problems.js';

export interface PolicyFile {
  readonly path: string;
  readonly text: string;
}

/** One file after parsing and a check of its form. */
export interface PolicyDocument {
  readonly path: string;
  readonly id: string;
  readonly root: MapNode;
  readonly fields: DocumentFields;
  /** True for a file of the environment itself, false for a file included by `extends`. */
  readonly isEntry: boolean;
  /** Every document that this one extends, directly or not. */
  readonly bases: ReadonlySet<string>;
}

export interface DocumentInput {
  readonly environment: Environment;
  readonly files: readonly PolicyFile[];
  readonly entry?: readonly string[];
}

/**
 * Reads the environment's own files and all files that they extend. In the result, bases come first and files are otherwise sorted by
 * path, so that a document always follows the ones it extends. It is undefined if a file cannot be read, since references to its
 * contents could not be checked.
 */
export function readDocuments(input: DocumentInput, problems: Problems): PolicyDocument[] | undefined {
  const files = new Map(input.files.map((file) => [normalPath(file.path), file]));
  const entry = (input.entry ?? input.files.map((file) => file.path).filter(isDeployable)).map(normalPath);
  if (entry.length === 0) {
    problems.addFile('G011', input.environment, `the environment "${input.environment}" has no policy file`);
    return undefined;
  }
  const loader = new Loader(files, new Set(entry), input.environment, problems);
  for (const path of [...new Set(entry)].sort(compareText)) loader.load(path, []);
  checkIds(loader.documents, problems);
  return loader.isComplete ? loader.documents : undefined;
}

/** False for files in a folder that starts with an underscore: such a folder is never an environment. */
function isDeployable(path: string): boolean {
  return !path
    .replaceAll('\\', '/')
    .split('/')
    .slice(0, -1)
    .some((part) => part.startsWith('_'));
}

class Loader {
  /** In post-order: bases before the documents that extend them. */
  readonly documents: PolicyDocument[] = [];
  isComplete = true;
  private readonly visited = new Map<string, PolicyDocument | undefined>();

  constructor(
    private readonly files: ReadonlyMap<string, PolicyFile>,
    private readonly entry: ReadonlySet<string>,
    private readonly environment: Environment,
    private readonly problems: Problems,
  ) {}

  load(path: string, trail: readonly string[]): PolicyDocument | undefined {
    if (this.visited.has(path)) return this.visited.get(path);
    this.visited.set(path, undefined);
    const file = isBuiltIn(path) ? builtInPolicy(path) : this.files.get(path);
    if (file === undefined) {
      this.problems.addFile('G012', path, 'the file does not exist');
      return this.fail();
    }
    const { root, problems } = readFileOnce(file);
    this.problems.takeOver(problems);
    if (root === undefined) return this.fail();
    if (root.kind !== 'map') {
      this.problems.add(
        'G008',
        root.span,
        `expected a policy, found ${kindOf(root)}`,
        'a policy starts with apiVersion: weir/v1',
      );
      return this.fail();
    }
    const fields = DOCUMENT.read(root, this.problems);
    if (fields === undefined) return this.fail();
    this.checkEnvironment(root, fields, path);
    const bases = this.loadBases(root, file.path, [...trail, path]);
    const document = { path: file.path, id: fields.metadata.id, root, fields, isEntry: this.entry.has(path), bases };
    this.visited.set(path, document);
    this.documents.push(document);
    return document;
  }

  private loadBases(root: MapNode, filePath: string, trail: readonly string[]): Set<string> {
    const bases = new Set<string>();
    const node = valueOf(root, 'extends');
    for (const item of node?.kind === 'seq' ? node.items : []) {
      if (item.kind !== 'scalar' || typeof item.value !== 'string') continue;
      if (isBuiltIn(item.value)) {
        this.loadBuiltIn(item.value, item.span, trail, bases);
        continue;
      }
      const target = normalPath(`${filePath.replaceAll('\\', '/').split('/').slice(0, -1).join('/')}/${item.value}`);
      if (/^(?:[/\\]|[A-Za-z][A-Za-z0-9+.-]*:)/.test(item.value) || !this.files.has(target)) {
        const hint = this.problems.suggest(target, this.files.keys()) ?? 'write a path relative to this file';
        this.problems.add('G012', item.span, `there is no file ${JSON.stringify(item.value)}`, hint);
        this.isComplete = false;
      } else if (trail.includes(target)) {
        const circle = [...trail.slice(trail.indexOf(target)), target].join(' -> ');
        this.problems.add('G013', item.span, `files extend each other in a circle: ${circle}`);
        this.isComplete = false;
      } else {
        const base = this.load(target, trail);
        if (base === undefined) continue;
        bases.add(base.path);
        for (const further of base.bases) bases.add(further);
      }
    }
    return bases;
  }

  /** Built-in policies are never read from the given files: a file with the same name cannot replace one. */
  private loadBuiltIn(name: string, span: Span, trail: readonly string[], bases: Set<string>): void {
    if (builtInPolicy(name) === undefined) {
      const hint = `this version of Weir has ${builtInPolicies().join(', ')}`;
      this.problems.add('G012', span, `there is no built-in policy ${JSON.stringify(name)}`, hint);
      this.isComplete = false;
      return;
    }
    const base = this.load(name, trail);
    if (base !== undefined) bases.add(base.path);
  }

  private checkEnvironment(root: MapNode, fields: DocumentFields, path: string): void {
    const named = fields.environment;
    if (named === undefined || named === this.environment) return;
    const message = `this file is for "${named}", but it is compiled for "${this.environment}"`;
    this.problems.add('G005', valueOf(root, 'environment')?.span ?? root.span, message, `the file is ${path}`);
  }

  private fail(): undefined {
    this.isComplete = false;
    return undefined;
  }
}

function checkIds(documents: readonly PolicyDocument[], problems: Problems): void {
  const seen = new Map<string, string>();
  for (const { id, path, root } of [...documents].sort((a, b) => compareText(a.path, b.path))) {
    const other = seen.get(id);
    const span = nodeAt(root, 'metadata', 'id')?.span ?? root.span;
    if (other !== undefined) problems.add('G002', span, `the policy id "${id}" is also used in ${other}`);
    seen.set(id, path);
    if (nodeAt(root, 'metadata', 'owner') === undefined) {
      problems.add('G300', keySpan(root, 'metadata'), `the policy "${id}" has no owner`, 'add metadata.owner');
    }
  }
}

/** A path with forward slashes, without `.` and inner `..`. */
export function normalPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.replaceAll('\\', '/').split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
