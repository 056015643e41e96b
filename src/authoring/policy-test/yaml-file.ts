import type { PolicyProblem } from '../../core/model/compiled-policy.js';
import { entryOf, plainOf, type Node, type Span } from '../../core/policy/source/node.js';
import { readFileOnce, type ReadableFile } from '../../core/policy/source/known-reading.js';
import { positionOf } from '../../core/policy/source/problems.js';
import type { TestProblemCode } from './problem-codes.js';

/** A plain value according to YAML 1.2 (core schema). */
export type YamlValue = string | number | boolean | null | YamlValue[] | { [key: string]: YamlValue };
export type Path = readonly PropertyKey[];

/** A test file: its value, the position of each part, and its problems. */
export class YamlFile {
  private readonly root: Node | undefined;
  private readonly found = new Map<string, PolicyProblem>();
  readonly value: YamlValue;
  readonly path: string;

  constructor(file: ReadableFile) {
    this.path = file.path;
    const { root, problems } = readFileOnce(file);
    this.root = root;
    for (const problem of problems.sorted()) this.put(problem);
    this.value = this.root === undefined ? null : (plainOf(this.root) as YamlValue);
  }

  /** In the order in which they were reported, without duplicates. */
  get problems(): PolicyProblem[] {
    return [...this.found.values()];
  }

  /** Reports a problem at the value at `path`, or at its nearest existing parent. */
  report(code: TestProblemCode, path: Path, message: string, hint?: string): void {
    this.add(code, this.nearest(path)?.span, message, hint);
  }

  /** Reports a problem at a key. */
  reportKey(code: TestProblemCode, parent: Path, key: string, message: string, hint?: string): void {
    const map = this.nearest(parent);
    this.add(code, entryOf(map, key)?.keySpan ?? map?.span, message, hint);
  }

  /** 1-based line and column of the value at `path`. */
  position(path: Path): { line: number; column: number } {
    const node = this.nearest(path);
    return node === undefined ? { line: 1, column: 1 } : positionOf(node.span);
  }

  private nearest(path: Path): Node | undefined {
    let node = this.root;
    for (const step of path) {
      const next: Node | undefined =
        node?.kind === 'seq' && typeof step === 'number' ? node.items[step] : entryOf(node, String(step))?.value;
      if (next === undefined) return node;
      node = next;
    }
    return node;
  }

  private add(code: TestProblemCode, span: Span | undefined, message: string, hint: string | undefined): void {
    const { line, column } = span === undefined ? { line: 1, column: 1 } : positionOf(span);
    const firstLine = span?.source.text.slice(span.start, span.end).split('\n', 1)[0] ?? '';
    const more = hint === undefined ? {} : { hint };
    const length = Math.max(1, firstLine.trimEnd().length);
    this.put({ code, level: 'error', message, file: this.path, line, column, length, ...more });
  }

  private put(problem: PolicyProblem): void {
    const identity = [problem.code, problem.line, problem.column, problem.message].join('\n');
    if (!this.found.has(identity)) this.found.set(identity, problem);
  }
}
