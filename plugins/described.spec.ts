import { getCountries } from 'libphonenumber-js';
import { bindDetectors, wholeCatalog } from '../src/core/index.js';
import { DESCRIBED } from './described.js';
import { PLUGINS } from './index.js';
import { COUNTRIES } from './pii/about.js';

describe('DESCRIBED', () => {
  it('says of each plugin what the plugin says of itself, but for how it looks', () => {
    const about = ({ detectors }: typeof PLUGINS) =>
      detectors.map(({ kind, meta: { reach: _reach, examples: _examples, ...meta } }) => ({ kind, ...meta }));
    expect(about(DESCRIBED)).toEqual(about(PLUGINS));
    expect(DESCRIBED.structures).toEqual(PLUGINS.structures);
    expect(COUNTRIES).toEqual(getCountries());
  });

  it('cannot be taken for a detector that finds nothing', async () => {
    const pii = { key: 'pii', plugin: 'pii', version: '1.0.0', revision: 1, options: {}, codes: ['EMAIL'] };
    const policy = { detectors: [{ ...pii, minScore: {}, timeoutMs: 100 }] };
    expect(() => bindDetectors(policy, DESCRIBED)).toThrow('the detector "pii" is only described here');
    expect(() => bindDetectors(policy, PLUGINS)).not.toThrow();
    expect(await wholeCatalog(DESCRIBED)).toBe(PLUGINS);
    expect(await wholeCatalog(PLUGINS)).toBe(PLUGINS);
  });
});
