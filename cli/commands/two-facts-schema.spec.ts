import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { folder, policy, project, read, weir } from '../../test/support/policy-project.js';
import { FORMS, paying } from '../../test/support/two-facts.js';

/** Compiling the schema takes seconds. */
describe('The schema that editors check policies with', () => {
  it('accepts a comparison of two facts in either form', async () => {
    project(policy(undefined, paying(FORMS.ours)));
    expect((await weir(['schema', 'write'], { cwd: `${folder}/policies` })).exit).toBe(0);
    const schema = JSON.parse(read('policies/_schema/policy.v1.json')) as object;
    const validate = new Ajv({ strict: false, allErrors: true }).compile(schema);
    for (const when of Object.values(FORMS))
      expect(validate(parse(policy(undefined, paying(when)))) ? [] : validate.errors).toEqual([]);
  });
});
