import type { JsonValue } from '../../core/model/call.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { didYouMean } from '../../core/policy/source/did-you-mean.js';
import { leafName, leafValues, membersOf, plainValue } from '../policy-leaves/index.js';
import type { TestFailure } from './compare.js';
import type { TestCase } from './read-suite.js';

type Settings = NonNullable<TestCase['settings']>;

/** Reports unknown names of settings: a misspelled name would make the test ineffective. */
export function checkSettingNames({ file, at }: TestCase, settings: Settings, policy: CompiledPolicy): void {
  const known = new Set(settingsOf(policy).keys());
  for (const name of Object.keys(settings)) {
    if (known.has(name)) continue;
    const message = `the ${policy.environment} policy has no "${name}"`;
    file.report('T034', [...at, 'settings', name], message, didYouMean(name, known));
  }
}

/** Returns a failure for each setting whose value differs from the expected one. A missing setting is also a failure. */
export function compareSettings(settings: Settings, policy: CompiledPolicy): TestFailure[] {
  const values = settingsOf(policy);
  return Object.entries(settings).flatMap(([name, expected]) => {
    const actual = values.get(name) ?? null;
    if (isSame(expected, actual)) return [];
    const field = `settings.${name}`;
    return [{ field, expected: JSON.stringify(expected), actual: JSON.stringify(actual), why: [] }];
  });
}

/**
 * Every setting, by name; minimum scores also by code. Whether a rule restores masked values in the answer is a setting too, because no
 * judgement of a call shows it.
 */
function settingsOf(policy: CompiledPolicy): Map<string, JsonValue> {
  const restored = policy.rules.flatMap(({ id, redact }) =>
    redact === undefined ? [] : [[`rules.${id}.then.redact.restore`, redact.restore === true] as const],
  );
  return new Map<string, JsonValue>([
    ...leafValues(policy).flatMap((one) => {
      const value = plainValue(one.leaf, one.value);
      const name = leafName(one);
      const scores = one.leaf === 'detectors.*.min_score' ? Object.entries(value as Record<string, number>) : [];
      return [[name, value], ...scores.map(([code, score]) => [`${name}.${code}`, score] as const)] as const;
    }),
    ...restored,
  ]);
}

/** Compares lists without regard to order. */
function isSame(a: JsonValue, b: JsonValue): boolean {
  if (!Array.isArray(a) || !Array.isArray(b)) return JSON.stringify(a) === JSON.stringify(b);
  const [first, second] = [membersOf(a as JsonValue), membersOf(b as JsonValue)];
  return first.size === second.size && [...first].every((one) => second.has(one));
}
