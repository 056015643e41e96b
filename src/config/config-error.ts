/** One wrong setting. `problem` never contains the value. */
export interface ConfigProblem {
  /** The variable's name, or the place in the configuration file. */
  readonly setting: string;
  readonly problem: string;
}

/** Every wrong setting at once; the message is shown to the operator at start. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly ConfigProblem[]) {
    const count = problems.length === 1 ? 'One setting is wrong' : `${problems.length} settings are wrong`;
    super([`${count}:`, ...problems.map(({ setting, problem }) => `  ${setting}: ${problem}`)].join('\n'));
  }
}
