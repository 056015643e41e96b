import type { CallContext } from '../facts/build-facts.js';
import { scopeOf, scopeText } from './scope.js';

const context: CallContext = {
  environment: 'production',
  declaredEnvironment: 'production',
  app: { id: 'a1', name: 'App' },
  key: { id: 'k1', name: 'Key' },
  provider: 'openai',
  model: 'gpt-4o',
  metadata: { team: 'payments', org: { unit: 7 }, 'a.b': 'dotted', empty: '' },
};

describe('scopeOf', () => {
  it('reads app, key, model, provider and metadata, in one order', () => {
    expect(scopeOf(['provider', 'app', 'metadata.team', 'model', 'key'], context)).toEqual([
      { name: 'app', value: 'a1' },
      { name: 'key', value: 'k1' },
      { name: 'metadata.team', value: 'payments' },
      { name: 'model', value: 'gpt-4o' },
      { name: 'provider', value: 'openai' },
    ]);
    expect(scopeText(scopeOf(['key', 'app'], context))).toBe(scopeText(scopeOf(['app', 'key', 'app'], context)));
  });

  it('reads nested metadata and keys with dots', () => {
    expect(scopeOf(['metadata.org.unit', 'metadata.a.b'], context).map(({ value }) => value)).toEqual(['dotted', '7']);
  });

  it('puts all calls without the value into one separate scope', () => {
    const text = scopeText(scopeOf(['metadata.missing'], context));
    expect(text).toBe(scopeText(scopeOf(['metadata.missing'], { ...context, metadata: {} })));
    expect(text).not.toBe(scopeText([{ name: 'metadata.missing', value: 'null' }]));
    expect(scopeOf(['metadata.empty', 'metadata.constructor'], context).map(({ value }) => value)).toEqual([
      null,
      null,
    ]);
  });
});
