import { Unknown } from '../model/fact.js';
import { DETECTORS, head } from '../policy/testdata/sample-policy.js';
import { found, judge, names } from './testdata/judge.js';

describe('The default block of evaluate', () => {
  const text = (more = ''): string => `${head().replace('default: allow', 'default: block')}${more}${DETECTORS}
rules:
  - { id: allow.small, stage: pre, when: { model.name: gpt-4o }, then: { action: allow } }
  - { id: allow.clean, stage: pre, when: { pii.count: 0 }, then: { action: allow } }
`;
  const other = { model: { name: 'x' }, pii: found('EMAIL') };

  it('refuses what no allow rule matches, under the id "default"', async () => {
    const decision = await judge(text(), other);
    expect(decision).toMatchObject({ action: 'block', reason: 'content_policy_violation', unavailable: false });
    expect(decision.fired).toMatchObject([{ rule: 'default', policy: 'sample', enforced: true, category: 'policy' }]);
  });

  it('does not apply when an allow rule matches, and the match is not reported as a violation', async () => {
    expect(await judge(text())).toMatchObject({ action: 'allow', fired: [] });
  });

  it('applies as an outage when it is unknown whether an allow rule matches', async () => {
    const down = { model: { name: 'x' }, pii: new Unknown('timeout', 'pii') };
    expect(await judge(text(), down)).toMatchObject({ action: 'block', unavailable: true, missing: ['pii'] });
  });

  it('applies when an allow rule reads a value that cannot be compared', async () => {
    const policy = text()
      .replace('pii.count: 0', 'metadata.level: { lt: 3 }')
      .replace('action: allow } }\n  -', 'action: allow } }\n  -');
    const accepted = policy.replace(
      'when: { metadata',
      'client_controlled: accepted, because: trial, when: { metadata',
    );
    expect(await judge(accepted, { ...other, metadata: { level: [1] } })).toMatchObject({
      action: 'block',
      unavailable: false,
    });
    expect((await judge(accepted, { ...other, metadata: { level: 1 } })).action).toBe('allow');
  });

  it('is not reported when a rule blocks', async () => {
    const both = `${text()}  - { id: b, stage: pre, when: { secrets.count: { gt: 0 } }, then: { action: block }, on_unknown: match }\n`;
    expect(names(await judge(both, { secrets: found('TOKEN') }))).toEqual(['b']);
  });

  it('applies to the stages post and tool only if the policy has an allow rule for the stage', async () => {
    expect((await judge(text(), other, { stage: 'post' })).action).toBe('allow');
    const tool = `${text()}  - { id: allow.search, stage: tool, when: { tool.name: search }, then: { action: allow } }\n`;
    expect((await judge(tool, { tool: { name: 'search' } }, { stage: 'tool' })).action).toBe('allow');
    expect(await judge(tool, { tool: { name: 'run_shell' } }, { stage: 'tool' })).toMatchObject({
      action: 'block',
      reason: 'tool_use_blocked',
    });
  });

  it('is only reported in monitor mode', async () => {
    const decision = await judge(text('mode: monitor\n'), other);
    expect(decision).toMatchObject({
      action: 'allow',
      fired: [{ rule: 'default', enforced: false, softenedBy: 'policy' }],
    });
  });

  it('applies when the matching allow rule is in monitor mode', async () => {
    const policy = text().replace(
      'then: { action: allow } }\n',
      'then: { action: allow }, mode: monitor, review_by: 2027-01-01 }\n',
    );
    expect((await judge(policy, { pii: found('EMAIL') })).action).toBe('block');
  });
});
