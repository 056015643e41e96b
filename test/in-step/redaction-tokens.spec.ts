import { createHmac } from 'node:crypto';
import { PLUGINS } from '../../plugins/index.js';
import { bindDetectors, stableToken } from '../../src/core/index.js';
import { shippedPolicy } from '../../bench/shipped-policy.js';

describe('Stable tokens', () => {
  it('are not found by any shipped detector, in any context', () => {
    const detectors = bindDetectors(shippedPolicy(), PLUGINS);
    const hash = (text: string) => createHmac('sha256', 'key').update(text).digest();
    const found = new Set<string>();
    for (let index = 0; index < 200; index++) {
      const token = stableToken(['EMAIL', 'PERSON', 'aws_access_key', 'IBAN'][index % 4]!, `value ${index}`, hash);
      for (const around of ['Please write to T today.', 'password: T', '{"api_key":"T"}', 'T']) {
        const text = around.replace('T', token);
        const start = text.indexOf(token);
        for (const { scan, binding } of detectors) {
          for (const finding of scan(text, { role: 'user' })) {
            if (finding.end > start && finding.start < start + token.length) found.add(`${binding.key}: ${around}`);
          }
        }
      }
    }
    expect([...found]).toEqual([]);
  });
});
