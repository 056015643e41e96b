import { visible } from './text.tsx';

const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS X', 'Linux'];

/** The calling program in words, as far as it identifies itself. */
export function programOf(text: string): string {
  const browser = BROWSERS.find(([sign]) => text.includes(sign))?.[1];
  const system = SYSTEMS.find((name) => text.includes(name));
  if (browser === undefined) return visible(text.split(' ', 1)[0] ?? '') || 'unknown';
  return system === undefined ? browser : `${browser} on ${system}`;
}
