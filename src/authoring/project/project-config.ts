import { ENVIRONMENTS, type Environment, type PolicyProblem } from '../../core/model/compiled-policy.js';
import { kindOf } from '../../core/policy/source/node.js';
import { Problems } from '../../core/policy/source/problems.js';
import { readYaml } from '../../core/policy/source/read-yaml.js';
import { list, object, oneOf, optional, record, refine, required, text } from '../../core/policy/source/shape.js';

/** The name of the project file, in the policies folder. */
export const PROJECT_FILE = 'weir.config.yaml';

export type LintLevel = 'error' | 'warning' | 'ignore';

/** The contents of `weir.config.yaml`. Every part has a default, so a folder without the file is also a project. */
export interface ProjectConfig {
  /** In the order in which changes are promoted. */
  readonly environments: readonly Environment[];
  /** Base URL of the server of an environment. */
  readonly servers: ReadonlyMap<string, string>;
  /** Levels of lint rules that override the defaults, by code. */
  readonly lintLevels: ReadonlyMap<string, LintLevel>;
  /** The maximum time until an exception ends, in milliseconds; undefined: no limit. */
  readonly maxExceptionMs: number | undefined;
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Converts a duration such as `90d` to milliseconds. */
const duration = refine(text('a duration such as 90d, 36h or 30m', /^[1-9]\d{0,5}[mhd]$/), (value) => {
  const unit = value.at(-1) as keyof typeof UNIT_MS;
  return Number(value.slice(0, -1)) * UNIT_MS[unit];
});

/** The schema of the project file. */
export const PROJECT = object('a project file', {
  apiVersion: required(oneOf('weir/v1')),
  kind: required(oneOf('Project')),
  environments: optional(list(oneOf(...ENVIRONMENTS), { min: 1, max: 3 })),
  servers: optional(
    record(
      { expects: 'the name of an environment', pattern: /^(?:development|staging|production)$/ },
      text('a URL such as https://weir.example.com', /^https?:\/\/\S+$/, 500),
    ),
  ),
  lint: optional(
    object('lint', {
      levels: optional(
        record(
          { expects: 'the code of a lint rule such as G131', pattern: /^[GT]\d{3}$/ },
          oneOf('error', 'warning', 'ignore'),
        ),
      ),
    }),
  ),
  max_exception: optional(duration),
});

/**
 * Reads the project file. Parts that cannot be read have their defaults, and errors are in `problems`.
 *
 * @param file the path for messages; `text` is undefined if there is no such file
 */
export function readProjectConfig(
  file: string,
  text: string | undefined,
): { readonly config: ProjectConfig; readonly problems: readonly PolicyProblem[] } {
  const problems = new Problems();
  const root = text === undefined ? undefined : readYaml(file, text, problems);
  if (root !== undefined && root.kind !== 'map') {
    problems.add('G008', root.span, `expected a project file, found ${kindOf(root)}`);
  }
  const fields = root?.kind === 'map' ? PROJECT.read(root, problems) : undefined;
  const config: ProjectConfig = {
    environments: fields?.environments ?? ENVIRONMENTS,
    servers: fields?.servers ?? new Map(),
    lintLevels: fields?.lint?.levels ?? new Map(),
    maxExceptionMs: fields?.max_exception,
  };
  return { config, problems: problems.sorted() };
}
