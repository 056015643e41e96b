import { HIDDEN_SIGNS, isTypedName, visible } from './visible.ts';

describe('A text of a caller', () => {
  it('shows the characters that reorder or hide text', () => {
    expect(visible('a\u202eb\u200bc\u061cd\u0007')).toBe('a⟨U+202E⟩b⟨U+200B⟩c⟨U+061C⟩d␇');
  });

  it('keeps the joiners of words and emoji, and shows all others', () => {
    const family = '\u{1f468}\u200d\u{1f469}';
    expect(visible(`می\u200cخواهم ${family} a\u200db`)).toBe(`می\u200cخواهم ${family} a⟨U+200D⟩b`);
  });

  it('has the same hidden characters in an editor', () => {
    const family = '\u{1f468}\u200d\u{1f469}';
    const signs = [...`a\u202eb ${family} c\u200dd\u2066`.matchAll(HIDDEN_SIGNS)].map(([sign]) => sign);
    expect(signs).toEqual(['\u202e', '\u200d', '\u2066']);
  });
});

describe('A name that must be typed', () => {
  it('may be typed as it is stored, or as the page shows it', () => {
    const name = 'pay\u202eroll';
    expect(isTypedName(name, name)).toBe(true);
    expect(isTypedName('pay⟨U+202E⟩roll', name)).toBe(true);
    expect(isTypedName('payroll', name)).toBe(false);
  });

  it('may be typed without spaces that nobody sees, and in the form of another keyboard', () => {
    expect(isTypedName('my key', ' my  key')).toBe(true);
    expect(isTypedName('caf\u00e9', 'cafe\u0301')).toBe(true);
  });

  it('is never confirmed by an empty field', () => {
    expect(isTypedName('', '')).toBe(false);
    expect(isTypedName('', ' ')).toBe(false);
  });
});
