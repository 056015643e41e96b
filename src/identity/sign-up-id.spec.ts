import { signUpIdOf } from './sign-up-id.js';

const FORM = '0b8f5a1e-6c1d-4d3b-9a52-1f6f3c2f7a10';
const OTHER_FORM = '0b8f5a1e-6c1d-4d3b-9a52-1f6f3c2f7a11';
const EMAIL = 'jane@example.com';
const PASSWORD = 'the password of ' + 'jane';

describe('the id of a sign-up', () => {
  it('is the same UUID each time that the same form is submitted', () => {
    const id = signUpIdOf(FORM, EMAIL, PASSWORD);
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(signUpIdOf(FORM.toUpperCase(), EMAIL, PASSWORD)).toBe(id);
  });

  it('differs for another form, and for a form that was changed before it was submitted again', () => {
    const ids = [
      signUpIdOf(FORM, EMAIL, PASSWORD),
      signUpIdOf(OTHER_FORM, EMAIL, PASSWORD),
      signUpIdOf(FORM, 'june@example.com', PASSWORD),
      signUpIdOf(FORM, EMAIL, `${PASSWORD}!`),
      signUpIdOf(FORM, EMAIL + PASSWORD, ''),
    ];
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each([undefined, '', 'form', `${FORM}0`, `{${FORM}}`])('is not derived from the form id %j', (formId) => {
    expect(signUpIdOf(formId, EMAIL, PASSWORD)).toBeUndefined();
  });
});
