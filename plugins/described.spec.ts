import { getCountries } from 'libphonenumber-js';
import { bindDetectors, wholeCatalog } from '../src/core/index.js';
import { DESCRIBED } from './described.js';
import { PLUGINS } from './index.js';
import { COUNTRIES } from './pii/about.js';

describe('DESCRIBED', () => {
  it('describes each plugin exactly as the plugin describes itself, except for reach and examples', () => {
    const about = ({ detectors }: typeof PLUGINS) =>
      detectors.map(({ kind, meta: { reach: _reach, examples: _examples, ...meta } }) => ({ kind, ...meta }));
    expect(about(DESCRIBED)).toEqual(about(PLUGINS));
    expect(DESCRIBED.structures).toEqual(PLUGINS.structures);
    expect(COUNTRIES).toEqual(getCountries());
  });

  it('contains no detector that can be bound, because such a detector would find nothing', async () => {
    const pii = { key: 'pii', plugin: 'pii', version: '1.0.0', revision: 1, options: {}, codes: ['EMAIL'] };
    const policy = { detectors: [{ ...pii, minScore: {}, timeoutMs: 100 }] };
    expect(() => bindDetectors(policy, DESCRIBED)).toThrow('the code of the detector "pii" is not loaded');
    expect(() => bindDetectors(policy, PLUGINS)).not.toThrow();
    expect(await wholeCatalog(DESCRIBED)).toBe(PLUGINS);
    expect(await wholeCatalog(PLUGINS)).toBe(PLUGINS);
  });
});
