import { finds, isAbout, labelNames, mentions, type Selector } from './selector.js';

const APP = '0b5c1f0e-5a52-4f0e-9d3c-2f6a1f6f0001';
const OTHER_APP = '0b5c1f0e-5a52-4f0e-9d3c-2f6a1f6f0002';

describe('a text that a user wrote', () => {
  const selector: Selector = { metadata: { tenant: 'acme', user_id: 'u1' } };

  it('is about a person if it contains all values of the selector, since other persons share the tenant', () => {
    expect(isAbout('u1 of acme asked', selector)).toBe(true);
    expect(isAbout('a bug at acme', selector)).toBe(false);
    expect(isAbout('u12 of acme asked', selector)).toBe(false);
  });

  it('mentions a person if it contains one of the values of the selector', () => {
    expect(mentions('a bug at acme', selector)).toBe(true);
    expect(mentions('acmeist', selector)).toBe(false);
  });
});

describe('saved filters, for an erasure that is narrowed to an app or environment,', () => {
  const inStaging: Selector = { metadata: { user_id: 'u1' }, environment: 'staging' };
  const ofApp: Selector = { metadata: { user_id: 'u1' }, app: APP };

  it.each([
    [[['environment', 'staging']], null, 'nothing else'],
    [[], 'staging', 'nothing else'],
    [[['environment', 'staging,production']], 'staging', 'nothing else'],
    [[['environment', 'staging,production']], null, 'others too'],
    [[], null, 'others too'],
    [[['environment', 'production']], null, 'only others'],
    [[], 'production', 'only others'],
  ] as const)('with environments %j, of a user who may see %s, find %s', (filters, own, expected) => {
    expect(finds(filters, inStaging, own)).toBe(expected);
  });

  it.each([
    [APP, 'nothing else'],
    [`${APP},${OTHER_APP}`, 'others too'],
    ['an app by its name', 'others too'],
    [OTHER_APP, 'only others'],
  ] as const)('with the app filter %j find %s', (app, expected) => {
    expect(finds([['app', app]], ofApp, null)).toBe(expected);
  });

  it('find nothing else if the erasure is not narrowed', () => {
    expect(finds([['environment', 'production']], { metadata: { user_id: 'u1' } }, 'staging')).toBe('nothing else');
  });

  it('do not include the label of a budget of another app', () => {
    expect(labelNames({ app: APP, 'metadata.user_id': 'u1' }, ofApp)).toBe(true);
    expect(labelNames({ app: OTHER_APP, 'metadata.user_id': 'u1' }, ofApp)).toBe(false);
    expect(labelNames({ 'metadata.user_id': 'u1' }, ofApp)).toBe(true);
  });
});
