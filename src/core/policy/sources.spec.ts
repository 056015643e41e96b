import { compileFiles, must } from './testdata/sample-policy.js';

const BASE = `apiVersion: weir/v1
kind: Policy
metadata: { id: base, owner: security@acme.example }
detectors:
  pii: { plugin: pii@^1 }
lists:
  models: [a, b]
conditions:
  personal:
    any:
      - pii.count: { gt: 0 }
      - pii.score: { gte: 0.9 }
rules:
  - id: pii.stop
    stage: pre
    when:
      all:
        - use: personal
        - not: { model.name: { in: $lists.models } }
    then: { action: block }
    on_unknown: match
`;
const TOP = `apiVersion: weir/v1
kind: Policy
metadata: { id: top, owner: security@acme.example }
environment: production
default: allow
extends: [../_shared/base.yaml]
lists:
  models: { add: [c] }
overrides:
  - rule: pii.stop
    because: Only sure finds
    weakens: true
    set:
      then.reason: content_policy_violation
      when.all.1.not.model.name: { eq: d }
exceptions:
  - id: EX-1
    rules: [pii.stop]
    when: { app.name: hr }
    because: A contract
    approved_by: dpo@acme.example
    ticket: SEC-1
    expires: 2027-01-01T00:00:00Z
`;

describe('sources of a compiled policy', () => {
  const policy = must(compileFiles({ '_shared/base.yaml': BASE, 'production/policy.yaml': TOP }));
  const { sources } = policy;
  const at = (place: { file: string; line: number; column: number } | undefined): string =>
    place === undefined ? 'nowhere' : `${place.file.replace('policies/', '')}:${place.line}:${place.column}`;

  it('hold the position of each leaf by its name, with the named conditions that contain it', () => {
    expect(Object.entries(sources.leaves).map(([name, leaf]) => [name, at(leaf.at), ...leaf.use])).toEqual([
      ['pii.stop#1', '_shared/base.yaml:11:9', 'personal'],
      ['pii.stop#2', '_shared/base.yaml:12:9', 'personal'],
      ['pii.stop#3', '_shared/base.yaml:19:18'],
      ['exception:EX-1#1', 'production/policy.yaml:19:13'],
    ]);
    const names = policy.stages.pre.asWritten.flatMap((rule) => JSON.stringify(rule).match(/pii\.stop#\d/g) ?? []);
    expect([...names].sort()).toEqual(Object.keys(sources.leaves).filter((name) => name.startsWith('pii.')));
  });

  it('name the file that overrides a field, and the reason that the file states', () => {
    const rule = sources.rules['pii.stop'];
    expect(at(rule?.at)).toBe('_shared/base.yaml:14:9');
    expect(at(rule?.fields['then.reason'])).toBe('production/policy.yaml:14:20');
    expect(at(rule?.fields['then.action'])).toBe('_shared/base.yaml:20:21');
    expect(rule?.overrides.map(({ at: place, because }) => [at(place), because])).toEqual([
      ['production/policy.yaml:10:5', 'Only sure finds'],
    ]);
  });

  it('hold the position of each entry of a list, and the positions of settings', () => {
    expect(Object.entries(sources.lists['models'] ?? {}).map(([entry, place]) => [entry, at(place)])).toEqual([
      ['a', '_shared/base.yaml:7:12'],
      ['b', '_shared/base.yaml:7:15'],
      ['c', 'production/policy.yaml:8:19'],
    ]);
    expect(at(sources.settings['default'])).toBe('production/policy.yaml:5:10');
  });

  it('are not part of the canonical form: moving a rule does not change the digest', () => {
    const moved = must(
      compileFiles({
        '_shared/base.yaml': BASE.replace('rules:', '# a note\n\nrules:'),
        'production/policy.yaml': TOP,
      }),
    );
    expect(moved.canonical).toBe(policy.canonical);
    expect(moved.sources).not.toEqual(policy.sources);
  });
});
