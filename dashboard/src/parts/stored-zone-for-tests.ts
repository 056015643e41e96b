/** Storage of a browser with a chosen time zone. Import it before `zone.ts`, which reads the choice when it is loaded. */
const stored = new Map([['weir.zone', 'Europe/Berlin']]);
Object.assign(globalThis, {
  localStorage: {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  },
});

export {};
