import { presenceOn } from './presence.ts';

/** A page on which a person or a script acts, and its clock. */
function openedPage() {
  const listeners = new Map<string, (event: Event) => void>();
  let nowMs = 1_000_000;
  const isSomebodyHere = presenceOn(
    { addEventListener: (name: string, listener: unknown) => listeners.set(name, listener as (event: Event) => void) },
    () => nowMs,
  );
  const act = (name: string, isTrusted: boolean): void => listeners.get(name)?.({ isTrusted } as Event);
  return { isSomebodyHere, act, pass: (ms: number) => void (nowMs += ms) };
}

describe('A page', () => {
  it('was opened by somebody, who has left if nothing happens for a minute', () => {
    const { isSomebodyHere, pass } = openedPage();
    expect(isSomebodyHere()).toBe(true);
    pass(59_999);
    expect(isSomebodyHere()).toBe(true);
    pass(1);
    expect(isSomebodyHere()).toBe(false);
  });

  it.each(['keydown', 'pointerdown', 'pointermove', 'wheel'])('is used by somebody for a minute after a %s', (name) => {
    const { isSomebodyHere, act, pass } = openedPage();
    pass(3_600_000);
    act(name, true);
    expect(isSomebodyHere()).toBe(true);
    pass(60_000);
    expect(isSomebodyHere()).toBe(false);
  });

  it('is not used by somebody if a script dispatches events', () => {
    const { isSomebodyHere, act, pass } = openedPage();
    pass(3_600_000);
    act('keydown', false);
    expect(isSomebodyHere()).toBe(false);
  });
});
