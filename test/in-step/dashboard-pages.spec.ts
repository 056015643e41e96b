import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES } from '../support/dashboard-states.js';
import { ROOT } from '../support/walks.js';

/** An account whose ids are the names of their kinds. */
const SAMPLE = { email: '', cookie: '', app: 'app', event: 'event', session: 'session', schedule: 'schedule' };
const addresses = Object.values(PAGES).map((address) => address(SAMPLE).split('?')[0]!);

function source(file: string): string {
  return readFileSync(join(ROOT, 'dashboard/src', file), 'utf8');
}

/** The paths of calls like `page('/events/$id', …)` in the router; all other routes redirect to one of these. */
function routes(): string[] {
  return [...source('shell/router.tsx').matchAll(/\bpage\(\s*'([^']+)'/g)].map(([, path = '']) => path);
}

/** The keys of `const TABS = { … }`. */
function tabsOf(file: string): string[] {
  const [, list] = /\bconst TABS\b[^=]* = \{([^}]*)\}/.exec(source(file)) ?? [];
  return [...(list ?? '').matchAll(/(\w+): /g)].map(([, key = '']) => key);
}

/** Whether a route matches an address: `$` matches all remaining segments, `$name` matches one. */
function isOf(route: string, address: string): boolean {
  const [wanted, given] = [route.split('/'), address.split('/')];
  if (wanted.at(-1) === '$')
    return (
      given.length >= wanted.length && isOf(wanted.slice(0, -1).join('/'), given.slice(0, wanted.length - 1).join('/'))
    );
  return wanted.length === given.length && wanted.every((part, at) => part.startsWith('$') || part === given[at]);
}

/** Addresses that open another page, which is in the table. */
const LEADING_ON: ReadonlySet<string> = new Set(['/apps/$id', '/apps/$id/settings']);

describe('the table of pages that are tested in every state', () => {
  it('has an address of every route of the dashboard', () => {
    // A route without a tab shows the first tab.
    const expected = routes().filter((route) => !LEADING_ON.has(route));
    expect(expected.length).toBeGreaterThan(20);
    expect(expected.filter((route) => !addresses.some((address) => isOf(route, address)))).toEqual([]);
  });

  it.each([
    ['settings/settings-page.tsx', '/settings/'],
    ['apps/app-settings-page.tsx', '/apps/app/settings/'],
  ])('has every tab of %s', (file, before) => {
    const tabs = tabsOf(file);
    expect(tabs.length).toBeGreaterThan(2);
    expect(tabs.filter((tab) => !addresses.includes(`${before}${tab}`))).toEqual([]);
  });

  it('has no address without a route', () => {
    const known = routes();
    expect(addresses.filter((address) => !known.some((route) => isOf(route, address)))).toEqual([]);
  });
});

describe('a memoised component of the dashboard', () => {
  it('reads the time zone: in another zone its parents are rendered again, but not the component itself', () => {
    const files = readdirSync(join(ROOT, 'dashboard/src'), { recursive: true, encoding: 'utf8' });
    const times = (file: string, call: RegExp): number => [...source(file).matchAll(call)].length;
    const memoised = files.filter((file) => file.endsWith('.tsx') && times(file, /\bmemo\(/g) > 0);
    expect(memoised).not.toEqual([]);
    expect(memoised.filter((file) => times(file, /\buseZone\(\)/g) < times(file, /\bmemo\(/g))).toEqual([]);
  });
});
