import type { CallContents } from '../call/call.js';
import { contentsRules } from './contents-rules.js';
import type { CompiledPolicy } from '../policy/compiled.js';

const POLICY = {
  id: 'p',
  monitor: false,
  clientMonitorMode: 'honor',
  media: 'flag',
  unread: { governed: 'refuse', other: 'pass' },
} as CompiledPolicy;
const CONTENTS: CallContents = {
  governed: true,
  unread: [{ path: 'parts[1]', why: 'archive', bytes: 9 }],
  media: [{ path: 'parts[0]', type: 'image/png', bytes: 7 }],
};

describe('contentsRules', () => {
  it('refuses, reports or lets pass what nobody looked into, as the policy says for the place', () => {
    expect(contentsRules(POLICY, CONTENTS, false)).toMatchObject([
      { rule: 'unread', action: 'block', enforced: true, locations: ['parts[1]'] },
      { rule: 'media', action: 'flag', enforced: true, locations: ['parts[0]'] },
    ]);
    expect(contentsRules(POLICY, { ...CONTENTS, governed: false }, false).map(({ rule }) => rule)).toEqual(['media']);
    expect(contentsRules(POLICY, { governed: true, unread: [], media: [] }, false)).toEqual([]);
  });

  it('enforces nothing under monitor mode', () => {
    expect(contentsRules({ ...POLICY, monitor: true }, CONTENTS, false)[0]).toMatchObject({
      enforced: false,
      softenedBy: 'policy',
    });
    expect(contentsRules(POLICY, CONTENTS, true)[0]).toMatchObject({ enforced: false, softenedBy: 'client' });
  });
});
