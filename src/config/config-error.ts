/** One invalid setting. `problem` never contains the value. */
export interface ConfigProblem {
  /** The variable's name, or the place in the configuration file. */
  readonly setting: string;
  readonly problem: string;
}

/** All invalid settings; the message is shown to the operator at start. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? 'One setting is invalid' : `${problems.length} settings are invalid`;
    super([`${count}:`, ...problems.map(({ setting, problem }) => `  ${setting}: ${problem}`)].join('\n'));
  }
}
