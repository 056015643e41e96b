import fc from 'fast-check';
import { stringify } from 'yaml';
import { dumpNodes, readFileOnce, rememberReading } from './known-reading.js';

describe('Nodes that another thread has read', () => {
  it('equal those from parsing the text, including positions', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'small' }), fc.boolean(), (value, flow) => {
        const text = flow ? JSON.stringify(value) : stringify(value);
        const file = { path: 'a.yaml', text };
        const { root } = readFileOnce(file);
        fc.pre(root !== undefined);
        const other = { path: 'a.yaml', text };
        rememberReading(other, dumpNodes(root));
        expect(readFileOnce(other).root).toEqual(root);
      }),
      { numRuns: 300 },
    );
  });

  it.each(['~', '', '0x1F', '1.50', 'yes', '"1"', '{}', '[]', '-0', '.inf', '-.inf', '.nan', '- \n- a: ~'])(
    'keep the written form of %j',
    (text) => {
      const { root } = readFileOnce({ path: 'a.yaml', text: `a: ${text}\n` });
      if (root === undefined) return;
      const other = { path: 'a.yaml', text: `a: ${text}\n` };
      rememberReading(other, dumpNodes(root));
      expect(readFileOnce(other).root).toEqual(root);
    },
  );
});
