import { factRows, toolFacts, toolsText } from './fact-rows.ts';

const DETECTOR = { key: 'pii', plugin: 'pii', version: '1.4', revision: 1 };
const facts = (found: object) => ({ stages: [{ stage: 'pre', facts: found }] });
/** A right-to-left override, with which a name looks like another one. */
const TURNED = 'admin\u202etxt';

describe('The facts of a call', () => {
  it('are listed with their stage and the detector that determined them', () => {
    const rows = factRows({
      facts: facts({ pii: { count: 2 }, sizes: { chars: 11 } }),
      detectors: [{ ...DETECTOR, status: 'scanned' }],
    });
    expect(rows).toEqual([
      { stage: 'pre', name: 'pii.count', value: '2', from: 'pii 1.4' },
      { stage: 'pre', name: 'sizes.chars', value: '11', from: '' },
    ]);
  });

  it('are unknown if their detector did not answer', () => {
    const rows = factRows({ facts: null, detectors: [{ ...DETECTOR, status: 'timeout' }] });
    expect(rows).toMatchObject([{ name: 'pii.*', value: 'unknown: the detector timed out' }]);
  });

  it('have names whose invisible characters are visible', () => {
    const rows = factRows({ facts: facts({ metadata: { [TURNED]: 'string(3)' } }), detectors: [] });
    expect(rows.map(({ name }) => name)).toEqual(['metadata.admin⟨U+202E⟩txt']);
  });
});

describe('The tools of a call', () => {
  it('have names whose invisible characters are visible', () => {
    const called = [{ name: TURNED, args: 1 }];
    const tools = toolFacts({ facts: facts({ tool_calls: called }) });
    expect(tools).toEqual(called);
    expect(toolsText(tools)).toContain('"name": "admin⟨U+202E⟩txt"');
  });

  it('are none if no facts are stored', () => {
    expect(toolFacts({ facts: null })).toEqual([]);
    expect(toolFacts({ facts: facts({}) })).toEqual([]);
  });
});
