import { MEDIA_RULE_ID, UNREAD_RULE_ID } from '../../core/decision/contents-rules.js';
import { DEFAULT_RULE_ID } from '../../core/decision/decide.js';
import type { PluginCatalog } from '../../core/detection/catalog.js';
import type { FactDefinition } from '../../core/model/fact.js';
import { findFact } from '../../core/facts/registry.js';
import { BLOCKED_HISTORY } from '../../core/history/repair-history.js';
import type { CompiledPolicy } from '../../core/model/compiled-policy.js';
import { didYouMean } from '../../core/policy/source/did-you-mean.js';
import type { TestCall } from './build-call.js';
import type { TestCase } from './read-suite.js';
import type { Expectation } from './suite-schema.js';
import { targetOf } from './test-detectors.js';
import type { Path, YamlValue } from './yaml-file.js';
import { memoizeByObject } from '../../core/model/memoize.js';

/** Reports names in a test that do not exist in the tested policy: a misspelled name would make the test ineffective. */
export function checkNames(test: TestCase, call: TestCall, policy: CompiledPolicy, catalog: PluginCatalog): void {
  const { file, at } = test;
  for (const { at: where, message } of call.errors) file.report('T010', [...at, ...where], message);
  checkMarks(test, call, policy, catalog);
  checkUnavailable(test, policy, catalog);
  const expected = test.expectIn.get(policy.environment);
  if (expected !== undefined) checkExpectation(test, expected, policy);
  for (const [root, value] of Object.entries(test.facts ?? {})) {
    checkFact(test, policy.facts, [root], value);
  }
}

function checkMarks(test: TestCase, call: TestCall, policy: CompiledPolicy, catalog: PluginCatalog): void {
  const at = [...test.at, test.messages === undefined ? 'text' : 'messages'];
  for (const mark of [...call.annotations.values()].flat()) {
    const target = targetOf(mark, policy, catalog);
    if (target.kind === 'unknown') {
      const name = mark.detector === undefined ? mark.code : `${mark.detector}/${mark.code}`;
      const codes = catalog.detectors.flatMap(({ meta }) => Object.keys(meta.codes));
      const message = `no detector of the ${policy.environment} policy has the code "${name}"`;
      test.file.report('T011', at, message, didYouMean(mark.code, codes));
    } else if (target.kind === 'ambiguous') {
      const choices = target.detectors.map((detector) => `${detector}/${mark.code}`).join(' or ');
      test.file.report('T012', at, `more than one detector has the code "${mark.code}"`, `write ${choices}`);
    }
  }
}

function checkUnavailable(test: TestCase, policy: CompiledPolicy, catalog: PluginCatalog): void {
  if (test.unavailable === undefined) return;
  const known = new Set([
    ...policy.detectors.map(({ key }) => key),
    ...[...catalog.structures, ...(policy.budgets.length > 0 ? catalog.ledgers : [])].map(({ meta }) => meta.id),
  ]);
  test.unavailable.forEach((name, index) => {
    const at = [...test.at, 'unavailable', index];
    if (!known.has(name))
      test.file.report(
        'T032',
        at,
        `the ${policy.environment} policy has no detector "${name}"`,
        didYouMean(name, known),
      );
    if (test.facts !== undefined && Object.hasOwn(test.facts, name)) {
      test.file.report('T003', at, `"${name}" is switched off, so \`facts\` cannot set its values`);
    }
  });
}

/** The names that an expectation may contain. */
interface ExpectedNames {
  readonly rules: ReadonlySet<string>;
  readonly exceptions: ReadonlySet<string>;
  /** The types that the expected `redactions` may name. */
  readonly types: ReadonlySet<string>;
}

/** Cached per policy, because every test needs the names. */
const namesOf = memoizeByObject((policy: CompiledPolicy): ExpectedNames => {
  const rules = new Set(policy.rules.map(({ id }) => id));
  if (policy.default === 'block') rules.add(DEFAULT_RULE_ID);
  for (const id of [UNREAD_RULE_ID, MEDIA_RULE_ID]) rules.add(id);
  const types = new Set(
    policy.rules.flatMap(({ redact }) =>
      redact === undefined ? [] : redact.targets.map(({ code }) => redact.label ?? code),
    ),
  );
  if (policy.onBlockedHistory !== 'refuse') types.add(BLOCKED_HISTORY);
  return { rules, exceptions: new Set(policy.exceptions.map(({ id }) => id)), types };
});

function checkExpectation(test: TestCase, expected: Expectation, policy: CompiledPolicy): void {
  const { rules, exceptions, types } = namesOf(policy);
  const at: Path = [...test.at, 'expect'];
  for (const key of ['rules', 'rules_include', 'rules_exclude', 'would_block', 'would_redact', 'would_flag'] as const) {
    expected[key]?.forEach((id, index) => {
      if (rules.has(id)) return;
      test.file.report(
        'T030',
        [...at, key, index],
        `the ${policy.environment} policy has no rule "${id}"`,
        didYouMean(id, rules),
      );
    });
  }
  expected.exceptions?.forEach((id, index) => {
    if (!exceptions.has(id)) {
      test.file.report(
        'T031',
        [...at, 'exceptions', index],
        `the ${policy.environment} policy has no exception "${id}"`,
      );
    }
  });
  expected.redactions?.forEach(({ type }, index) => {
    if (!types.has(type))
      test.file.report('T033', [...at, 'redactions', index], `no rule redacts under the type "${type}"`);
  });
}

function checkFact(
  test: TestCase,
  definitions: readonly FactDefinition[],
  path: readonly string[],
  value: YamlValue,
): void {
  const name = path.join('.');
  const at = [...test.at, 'facts', ...path];
  const definition = findFact(definitions, name);
  if (definition !== undefined) {
    const wrong = wrongType(definition, value);
    if (wrong !== undefined) test.file.report('T021', at, `"${name}" ${wrong}`);
    return;
  }
  const inside = definitions.some((one) => one.name.startsWith(`${name}.`));
  if (!inside || typeof value !== 'object' || value === null || Array.isArray(value)) {
    const hint = didYouMean(
      name,
      definitions.map((one) => one.name),
    );
    test.file.reportKey('T020', at.slice(0, -1), path.at(-1) ?? '', `unknown fact "${name}"`, hint);
    return;
  }
  for (const [key, inner] of Object.entries(value)) checkFact(test, definitions, [...path, key], inner);
}

function wrongType(definition: FactDefinition, value: YamlValue): string | undefined {
  if (value === null) return definition.optional ? undefined : 'must not be null';
  switch (definition.type) {
    case 'string':
      if (typeof value !== 'string') return 'must be a string';
      return definition.values === undefined || definition.values.includes(value)
        ? undefined
        : 'must be one of its documented values';
    case 'number':
      return typeof value === 'number' ? outOfRange(definition, value) : 'must be a number';
    case 'integer':
      return Number.isInteger(value) ? outOfRange(definition, value as number) : 'must be an integer';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false';
    case 'string_set': {
      if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) return 'must be a list of strings';
      const { values } = definition;
      return values === undefined || (value as readonly string[]).every((item) => values.includes(item))
        ? undefined
        : 'must be one of its documented values';
    }
    case 'tool_calls':
    case 'tool_results':
      return Array.isArray(value) ? undefined : 'must be a list';
    case 'any':
    case 'flow':
      return undefined;
  }
}

function outOfRange({ range }: FactDefinition, value: number): string | undefined {
  if (range?.min !== undefined && value < range.min) return `must be at least ${range.min}`;
  if (range?.max !== undefined && value > range.max) return `must be at most ${range.max}`;
  return undefined;
}
