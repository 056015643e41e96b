import { Almanac, Engine, Fact, Operator, Rule, type EngineOptions, type RuleProperties } from 'json-rules-engine';

/**
 * The behaviour of json-rules-engine that Weir relies on or guards against. If one of these tests fails after an upgrade, read the change
 * in the library, then check the assumptions of `src/core/decision` and `src/core/policy/engine-rules.ts`.
 */
const SAFE: EngineOptions = { allowUndefinedFacts: true };

function rule(
  name: string,
  conditions: RuleProperties['conditions'],
  more: Partial<RuleProperties> = {},
): RuleProperties {
  return { name, conditions, event: { type: 'matched', params: { id: name } }, ...more };
}

async function matched(conditions: RuleProperties['conditions'], facts: Record<string, unknown> = {}, options = SAFE) {
  const { results } = await new Engine([rule('r', conditions)], options).run(facts);
  return results.length === 1;
}

const leaf = (operator: string, value: unknown, fact = 'f', path?: string) => ({
  all: [{ fact, operator, value, ...(path && { path }) }],
});

/** Resolves in a later task of the event loop, so that other work runs in between. */
const later = <T>(value: T, turns = 1): Promise<T> =>
  turns === 0 ? Promise.resolve(value) : new Promise((resolve) => setImmediate(() => resolve(later(value, turns - 1))));

describe('json-rules-engine with groups', () => {
  it('takes an empty "all" and an empty "any" as true', async () => {
    expect(await matched({ all: [] })).toBe(true);
    expect(await matched({ any: [] })).toBe(true);
  });

  it('silently ignores "all" next to "any"', async () => {
    const both = {
      any: [{ fact: 'f', operator: 'equal', value: 1 }],
      all: [{ fact: 'f', operator: 'equal', value: 2 }],
    };
    expect(await matched(both, { f: 1 })).toBe(true);
  });

  it('evaluates every leaf of a group, so that each has a result', async () => {
    const seen: string[] = [];
    const engine = new Engine([rule('r', { any: [leaf('equal', 1), leaf('equal', 2, 'g')] })], SAFE);
    const { results } = await engine.run({ f: 1, g: () => later(seen.push('g')) });
    expect(seen).toEqual(['g']);
    const parsed = results[0]!.toJSON(false).conditions as { any: { all: { result?: boolean }[] }[] };
    expect(parsed.any.map((group) => group.all[0]!.result)).toEqual([true, false]);
  });

  it('keeps the names of groups and leaves in results', async () => {
    const conditions = { all: [{ any: [{ ...leaf('equal', 1).all[0]!, name: 'r#1' }], name: 'named' }] };
    const { results } = await new Engine([rule('r', conditions)], SAFE).run({ f: 1 });
    const parsed = results[0]!.toJSON(false).conditions as { all: { name?: string; any: { name?: string }[] }[] };
    expect(parsed.all[0]!.name).toBe('named');
    expect(parsed.all[0]!.any[0]!.name).toBe('r#1');
  });
});

describe('json-rules-engine with missing values', () => {
  it.each([
    ['equal', 1, false],
    ['notEqual', 1, true],
    ['in', [1], false],
    ['notIn', [1], true],
    ['contains', 1, false],
    ['doesNotContain', 1, false],
    ['lessThan', 1, false],
    ['lessThanInclusive', 1, false],
    ['greaterThan', 1, false],
    ['greaterThanInclusive', 1, false],
  ])('evaluates %s of a missing fact and the value %j as %s', async (operator, value, expected) => {
    expect(await matched(leaf(operator, value))).toBe(expected);
    expect(await matched(leaf(operator, value, 'f', '$.gone'), { f: {} })).toBe(expected);
  });

  it('evaluates a comparison of a missing value as true under "not"', async () => {
    expect(await matched({ not: { fact: 'f', operator: 'lessThan', value: 1 } })).toBe(true);
  });

  it('rejects an undefined fact unless an option allows it', async () => {
    await expect(matched(leaf('equal', 1), {}, {})).rejects.toMatchObject({ code: 'UNDEFINED_FACT' });
  });

  it('ignores the path on a primitive and compares the primitive', async () => {
    expect(await matched(leaf('equal', 7, 'f', '$.a.b'), { f: 7 })).toBe(true);
  });

  it('passes paths unchanged to our resolver, for objects only', async () => {
    const asked: [unknown, string][] = [];
    const pathResolver = (value: object, path: string) => {
      asked.push([value, path]);
      return 1;
    };
    expect(await matched(leaf('equal', 1, 'f', 'a.b'), { f: { x: 1 } }, { ...SAFE, pathResolver })).toBe(true);
    expect(await matched(leaf('equal', 1, 'f', 'a.b'), { f: null }, { ...SAFE, pathResolver })).toBe(false);
    expect(asked).toEqual([[{ x: 1 }, 'a.b']]);
  });

  it('reads a value with the key "fact" as a reference to the fact of that name', async () => {
    expect(await matched(leaf('in', { fact: 'lists', path: '$.ok' }), { f: 'a', lists: { ok: ['a'] } })).toBe(true);
  });
});

describe('json-rules-engine with operators', () => {
  it('accepts an unknown operator and fails only when it evaluates the leaf', async () => {
    const engine = new Engine([rule('r', leaf('no_such_operator', 1))], SAFE);
    await expect(engine.run({ f: 1 })).rejects.toThrow('Unknown operator: no_such_operator');
    expect(() => new Engine().addRule(rule('r', leaf('no_such_operator', 1)))).not.toThrow();
  });

  it('finds an operator by its whole name, colons included', async () => {
    const engine = new Engine([rule('r', leaf('closed:absent_ok:mine', 1))], SAFE);
    engine.addOperator(new Operator<unknown, unknown>('closed:absent_ok:mine', () => true));
    expect((await engine.run({})).results).toHaveLength(1);
  });

  it('compares without types: text that starts with digits counts as a number', async () => {
    expect(await matched(leaf('greaterThan', 9), { f: '10' })).toBe(true);
    expect(await matched(leaf('greaterThan', '9'), { f: '10' })).toBe(false);
  });

  it('rejects the whole run when an operator throws', async () => {
    const engine = new Engine([rule('a', leaf('bad', 1)), rule('b', leaf('equal', 1))], SAFE);
    engine.addOperator(
      new Operator<unknown, unknown>('bad', () => {
        throw new Error('bad operator');
      }),
    );
    await expect(engine.run({ f: 1 })).rejects.toThrow('bad operator');
  });
});

describe('json-rules-engine in a run', () => {
  it('silently skips rules when runs of one engine overlap', async () => {
    const rules = Array.from({ length: 3 }, (_, index) => rule(`r${index}`, leaf('equal', 1), { priority: 3 - index }));
    const engine = new Engine(rules, SAFE);
    const runs = Array.from({ length: 20 }, (_, index) =>
      later(0, index % 4).then(() => engine.run({ f: () => later(1, index % 3) })),
    );
    const reported = (await Promise.all(runs)).map(({ results }) => results.length);
    expect(reported.some((count) => count < 3)).toBe(true);
  });

  it('evaluates every rule if each run has its own engine', async () => {
    const rules = Array.from({ length: 3 }, (_, index) => rule(`r${index}`, leaf('equal', 1), { priority: 3 - index }));
    const runs = Array.from({ length: 20 }, (_, index) =>
      later(0, index % 4).then(() => new Engine(rules, SAFE).run({ f: () => later(1, index % 3) })),
    );
    expect((await Promise.all(runs)).map(({ results }) => results.length)).toEqual(Array<number>(20).fill(3));
  });

  it('rejects when a fact rejects, but still evaluates the rules of lower priority', async () => {
    const ran: string[] = [];
    const engine = new Engine(
      [rule('first', leaf('equal', 1, 'bad'), { priority: 2 }), rule('second', leaf('equal', 1), { priority: 1 })],
      SAFE,
    );
    engine.on('success', (event) => void ran.push(String(event.params?.['id'])));
    const run = engine.run({ bad: () => Promise.reject(new Error('no fact')), f: 1 });
    await expect(run).rejects.toThrow('no fact');
    await later(0, 3);
    expect(ran).toEqual(['second']);
  });

  it('returns results in the order of completion, not in the order of the rules', async () => {
    const engine = new Engine([rule('first', leaf('equal', 1, 'slow')), rule('second', leaf('equal', 1))], SAFE);
    const { results } = await engine.run({ slow: () => later(1, 3), f: 1 });
    expect(results.map(({ name }) => name)).toEqual(['second', 'first']);
  });

  it('keeps earlier results in an almanac that is reused', async () => {
    const almanac = new Almanac(SAFE);
    const engine = new Engine([rule('r', leaf('equal', 1))], SAFE);
    expect((await engine.run({ f: 1 }, { almanac })).results).toHaveLength(1);
    expect((await engine.run({ f: 1 }, { almanac })).results).toHaveLength(2);
  });

  it('links a Rule object to the last engine it was added to', () => {
    const shared = new Rule(rule('r', leaf('equal', 1)));
    const [one, two] = [new Engine([shared]), new Engine([shared])];
    expect((shared as unknown as { engine: Engine }).engine).toBe(two);
    expect((shared as unknown as { engine: Engine }).engine).not.toBe(one);
  });

  it('accepts frozen rules and does not modify them', async () => {
    const frozen = Object.freeze(
      rule('r', Object.freeze({ all: Object.freeze([Object.freeze(leaf('equal', 1).all[0]!)]) as never })),
    );
    const before = JSON.stringify(frozen);
    expect((await new Engine([frozen], SAFE).run({ f: 1 })).results).toHaveLength(1);
    expect(JSON.stringify(frozen)).toBe(before);
  });

  it('puts raw values of facts into results, which is why results are never logged', async () => {
    const { results } = await new Engine([rule('r', leaf('equal', 'x'))], SAFE).run({ f: 'x' });
    expect(JSON.stringify(results[0]!.toJSON(false))).toContain('factResult');
  });

  it('passes a constant fact to operators as the same object', async () => {
    const value = { type: 'unknown' };
    let seen: unknown;
    const engine = new Engine([rule('r', leaf('spy', 1))], SAFE);
    engine.addOperator(new Operator<unknown, unknown>('spy', (fact) => (seen = fact) !== undefined));
    await engine.run({ f: value });
    expect(seen).toBe(value);
  });
});

describe('json-rules-engine with shared objects', () => {
  it('evaluates the same Rule objects correctly in overlapping engines', async () => {
    const rules = [new Rule(rule('r', leaf('equal', 1))), new Rule(rule('s', leaf('equal', 2)))];
    const runs = [1, 2, 3, 1].map((f) => new Engine(rules, SAFE).run({ f: () => later(f, f) }));
    const names = (await Promise.all(runs)).map(({ results }) => results.map(({ name }) => name as string));
    expect(names).toEqual([['r'], ['s'], [], ['r']]);
  });

  it('stores no results of a run in a Rule object', async () => {
    const one = new Rule(rule('r', leaf('equal', 1)));
    const before = one.toJSON();
    await new Engine([one], SAFE).run({ f: 1 });
    expect(one.toJSON()).toBe(before);
  });

  it('reads constant facts with caching disabled, with and without a path', async () => {
    const conditions = { all: [leaf('equal', 1, 'f', '$.a'), leaf('equal', null, 'g')] };
    const facts = { f: new Fact('f', { a: 1 }, { cache: false }), g: new Fact('g', null, { cache: false }) };
    const { results } = await new Engine([rule('r', conditions)], SAFE).run(facts);
    expect(results.map(({ name }) => name as string)).toEqual(['r']);
  });
});
