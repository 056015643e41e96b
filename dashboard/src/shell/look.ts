/** Theme and density: stored in the browser, and set before the first paint by a separate small script. */
import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';
const listeners = new Set<() => void>();
const dark = window.matchMedia('(prefers-color-scheme: dark)');

export function themeNow(): Theme {
  const kept = localStorage.getItem('weir.theme');
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function shownTheme(): 'light' | 'dark' {
  const theme = themeNow();
  return theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
}

export const nextTheme = (): 'light' | 'dark' => (shownTheme() === 'dark' ? 'light' : 'dark');

export function setTheme(theme: Theme): void {
  localStorage.setItem('weir.theme', theme);
  apply();
}

export function setDensity(density: string): void {
  localStorage.setItem('weir.density', density);
  document.documentElement.setAttribute('data-density', density);
  for (const listener of listeners) listener();
}

export const densityNow = (): string => localStorage.getItem('weir.density') ?? 'regular';

function apply(): void {
  document.documentElement.setAttribute('data-mantine-color-scheme', shownTheme());
  for (const listener of listeners) listener();
}
dark.addEventListener('change', apply);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useTheme(): readonly [Theme, (theme: Theme) => void] {
  return [useSyncExternalStore(subscribe, themeNow), setTheme];
}

/** The theme that is shown now; it follows changes of the system setting. */
export const useShownTheme = (): 'light' | 'dark' => useSyncExternalStore(subscribe, shownTheme);

export const useDensity = (): string => useSyncExternalStore(subscribe, densityNow);
