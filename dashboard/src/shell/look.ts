/** Theme and density: stored in the browser, and set before the first paint by a separate small script. */
import { useSyncExternalStore } from 'react';
import { onChangeElsewhere } from '../parts/other-tabs.ts';

export type Theme = 'system' | 'light' | 'dark';
const THEME = 'weir.theme';
const DENSITY = 'weir.density';
const listeners = new Set<() => void>();
const dark = window.matchMedia('(prefers-color-scheme: dark)');

export function themeNow(): Theme {
  const kept = localStorage.getItem(THEME);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export function shownTheme(): 'light' | 'dark' {
  const theme = themeNow();
  return theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
}

export const nextTheme = (): 'light' | 'dark' => (shownTheme() === 'dark' ? 'light' : 'dark');

export function setTheme(theme: Theme): void {
  localStorage.setItem(THEME, theme);
  apply();
}

export function setDensity(density: string): void {
  localStorage.setItem(DENSITY, density);
  applyDensity();
}

function applyDensity(): void {
  document.documentElement.setAttribute('data-density', densityNow());
  for (const listener of listeners) listener();
}

export const densityNow = (): string => localStorage.getItem(DENSITY) ?? 'regular';

function apply(): void {
  document.documentElement.setAttribute('data-mantine-color-scheme', shownTheme());
  for (const listener of listeners) listener();
}
dark.addEventListener('change', apply);
onChangeElsewhere(THEME, apply);
onChangeElsewhere(DENSITY, applyDensity);

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
