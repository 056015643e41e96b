import type { Setting, Variable } from './request.js';

/** The combinations of settings to try, the simplest first. */
export interface Grid {
  /** True when every combination is among the points. */
  readonly complete: boolean;
  points(): Iterable<ReadonlyMap<string, Setting>>;
}

/**
 * All combinations of the given variables; all other variables have their setting in `rest`. If there are more than `max`, only `max` are
 * returned: first those in which at most two variables differ from `rest`, then others evenly spread over the space.
 */
export function gridOf(variables: readonly Variable[], rest: ReadonlyMap<string, Setting>, max: number): Grid {
  const size = variables.reduce((product, { settings }) => product * settings.length, 1);
  if (size <= max) return { complete: true, points: () => everything(variables, rest, size) };
  return { complete: false, points: () => some(variables, rest, max) };
}

function* everything(
  variables: readonly Variable[],
  rest: ReadonlyMap<string, Setting>,
  size: number,
): Generator<ReadonlyMap<string, Setting>> {
  const choices = variables.map((variable) => restFirst(variable, rest));
  for (let index = 0; index < size; index++) yield point(choices, variables, rest, index);
}

function* some(
  variables: readonly Variable[],
  rest: ReadonlyMap<string, Setting>,
  max: number,
): Generator<ReadonlyMap<string, Setting>> {
  const choices = variables.map((variable) => restFirst(variable, rest));
  let left = max;
  for (const [a, one] of variables.entries()) {
    for (const setting of choices[a]!) {
      for (const [b, other] of variables.entries()) {
        if (b <= a) continue;
        for (const second of choices[b]!) {
          if (left-- <= 0) return;
          yield new Map(rest).set(one.name, setting).set(other.name, second);
        }
      }
    }
  }
  const size = choices.reduce((product, { length }) => product * length, 1);
  // A golden-ratio stride spreads the points evenly, and deterministically.
  const stride = Math.max(1, Math.floor(size * 0.6180339887));
  for (let step = 1; left > 0; step++, left--) yield point(choices, variables, rest, (step * stride) % size);
}

function restFirst({ name, settings }: Variable, rest: ReadonlyMap<string, Setting>): readonly Setting[] {
  const still = rest.get(name);
  return still === undefined ? settings : [still, ...settings.filter((setting) => setting !== still)];
}

function point(
  choices: readonly (readonly Setting[])[],
  variables: readonly Variable[],
  rest: ReadonlyMap<string, Setting>,
  index: number,
): ReadonlyMap<string, Setting> {
  const made = new Map(rest);
  let remaining = index;
  for (const [position, { name }] of variables.entries()) {
    const options = choices[position]!;
    made.set(name, options[remaining % options.length]!);
    remaining = Math.floor(remaining / options.length);
  }
  return made;
}
