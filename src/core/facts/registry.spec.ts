import fc from 'fast-check';
import { PLUGINS } from '../policy/testdata/plugins.js';
import { DETECTORS, head, policyOf } from '../policy/testdata/sample-policy.js';
import { Unknown, type FactValue } from '../model/fact.js';
import { readFact, readPath } from './read-path.js';
import { BASE_FACTS, factRegistry, findFact } from './registry.js';

describe('factRegistry', () => {
  const policy = policyOf(
    `${head()}${DETECTORS}budgets:\n  - { id: team, scope: [app], window: { per: day }, limit: { usd: 1 } }\n`,
  );
  const facts = factRegistry(policy.detectors, PLUGINS, policy.budgets);

  it('contains the facts of every call, detectors, budgets and structure plugins, sorted and without duplicates', () => {
    const names = facts.map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(new Set(names).size).toBe(names.length);
    for (const name of ['model.name', 'pii.types', 'pii.counts.EMAIL', 'budgets.team.used_ratio', 'tool.args.*'])
      expect(names).toContain(name);
    expect(policy.facts).toEqual(facts);
  });

  it('marks the facts that the caller controls', () => {
    expect(BASE_FACTS.filter(({ clientControlled }) => clientControlled).map(({ name }) => name)).toEqual([
      'declared_environment',
      'metadata.*',
      'session.id',
      'context.sources',
      'request.max_tokens',
      'request.stream',
    ]);
  });

  it('limits the values of the fact pii.types to the codes of the detector pii', () => {
    expect(findFact(facts, 'pii.types')).toMatchObject({
      type: 'string_set',
      values: ['EMAIL', 'IBAN', 'PHONE', 'TOKEN', 'US_SSN'],
      detector: 'pii',
    });
    expect(findFact(facts, 'pii.score')).toMatchObject({ range: { min: 0, max: 1 }, optional: false });
    expect(findFact(facts, 'pii.counts.PASSPORT')).toBeUndefined();
  });

  it('finds exact names before patterns, and patterns only below their stem', () => {
    expect(findFact(facts, 'metadata.team.lead')).toMatchObject({ name: 'metadata.*' });
    expect(findFact(facts, 'metadata')).toBeUndefined();
    expect(findFact(facts, 'metadata.')).toMatchObject({ name: 'metadata.*' });
    expect(findFact(facts, 'tool.args.*')).toMatchObject({ name: 'tool.args.*' });
    expect(findFact(facts, 'tool.name')).toMatchObject({ type: 'string' });
  });
});

describe('readPath', () => {
  const value: FactValue = { a: { b: [10, { c: 'x' }] }, n: null, u: new Unknown('failed', 'pii') };

  it('reads own properties and array indices', () => {
    expect(readPath(value, ['a', 'b', '0'])).toBe(10);
    expect(readPath(value, ['a', 'b', '1', 'c'])).toBe('x');
    expect(readPath(value, [])).toBe(value);
    expect(readPath(value, ['n'])).toBeNull();
  });

  it('returns undefined for absent values and below values without members', () => {
    for (const path of [
      ['z'],
      ['n', 'x'],
      ['a', 'b', '9'],
      ['a', 'b', 'length'],
      ['a', 'b', '-1'],
      ['a', 'b', '0', 'x'],
    ]) {
      expect(readPath(value, path)).toBeUndefined();
    }
    expect(readPath(value, Array<string>(17).fill('a'))).toBeUndefined();
  });

  it('returns the Unknown that the path passes through', () => {
    expect(readPath(value, ['u', 'anything', 'below'])).toBeInstanceOf(Unknown);
    expect(readPath(value, ['u', 'reason'])).toBeInstanceOf(Unknown);
  });

  it('never reaches a prototype', () => {
    const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'map'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', '0', ...names), { minLength: 1, maxLength: 5 }), (path) => {
        const read = readPath(value, path);
        expect(typeof read).not.toBe('function');
        if (names.includes(path.at(-1)!)) expect(read).toBeUndefined();
      }),
    );
  });

  it('reads a fact by its dotted name from a fact set', () => {
    expect(readFact({ model: { name: 'm' } }, 'model.name')).toBe('m');
    expect(readFact({}, 'toString')).toBeUndefined();
    expect(readFact({ provider: 'openai' }, 'provider.x')).toBeUndefined();
  });
});
