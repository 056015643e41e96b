/** Calls `changed` when another tab of this browser stores a value under this name, or removes it. Outside browsers there are no tabs. */
export function onChangeElsewhere(name: string, changed: () => void): void {
  if (typeof window === 'undefined') return;
  window.addEventListener('storage', ({ key }) => {
    // Null: all values were removed.
    if (key === name || key === null) changed();
  });
}
