/** Keyboard shortcuts of all pages. Single letters are disabled while a person types, and can be switched off completely. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ENVIRONMENTS } from '../api/types.ts';
import { copyText } from '../parts/copying.ts';
import { idInPath } from './id-in-path.ts';
import { usePlaces } from './nav.ts';
import type { Chosen } from './page-environment.ts';
import { useChooseEnvironment, useView } from './view.ts';
import { useZoomBack } from './zoom.ts';

const OFF = 'weir.keys';
export const singleKeysOn = (): boolean => localStorage.getItem(OFF) !== 'off';
export const setSingleKeys = (on: boolean): void => localStorage.setItem(OFF, on ? 'on' : 'off');

interface Overlays {
  readonly palette: () => void;
  readonly help: () => void;
  readonly fold: () => void;
}

const GO_MS = 1_200;

/** Whether something is open over the page, which then has the keys. */
export const isCovered = (): boolean => document.querySelector('[role=dialog], [role=menu]') !== null;

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

export function useKeys({ palette, help, fold }: Overlays): void {
  const navigate = useNavigate();
  const places = usePlaces();
  const choose = useChooseEnvironment();
  const { environment } = useView();
  const goUntil = useRef(0);
  useEscapeFromZoom();
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        palette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || !singleKeysOn()) return;
      if (isCovered()) return;
      if (goUntil.current > event.timeStamp) {
        goUntil.current = 0;
        const place = places.find(({ key }) => key === event.key);
        if (place !== undefined) {
          event.preventDefault();
          void navigate({ to: place.to as '/' });
        }
        return;
      }
      if (event.key === 'g') goUntil.current = event.timeStamp + GO_MS;
      else pressSingle(event, { palette, help, fold, nextEnvironment: () => choose(environmentAfter(environment)) });
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [palette, help, fold, navigate, places, choose, environment]);
}

/** The environment that follows another one when they are chosen by key. */
function environmentAfter(environment: Chosen): Chosen {
  const all = [...ENVIRONMENTS, 'all' as const];
  return all[(all.indexOf(environment) + 1) % all.length] ?? 'all';
}

interface Actions extends Overlays {
  readonly nextEnvironment: () => void;
}

/** Does what a single key stands for. */
function pressSingle(event: KeyboardEvent, { palette, help, fold, nextEnvironment }: Actions): void {
  switch (event.key) {
    case '/':
      event.preventDefault();
      palette();
      break;
    case '?':
      help();
      break;
    case '[':
      fold();
      break;
    case 'E':
      // With the caps lock on, the letter alone is a capital one too.
      if (event.shiftKey) nextEnvironment();
      break;
    case 'R':
      if (!event.shiftKey) break;
      document.querySelector<HTMLElement>('[data-range]')?.click();
      break;
    case 'c':
      void copyText(location.href);
      break;
    case '.': {
      const id = idInPath(location.pathname);
      if (id !== undefined) void copyText(id);
      break;
    }
    default:
  }
}

/** Escape returns from a range that was dragged on a chart, unless it closes something else. */
function useEscapeFromZoom(): void {
  const back = useZoomBack();
  const current = useRef(back);
  current.current = back;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || isTyping(event.target) || isCovered()) return;
      current.current?.go();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

/** The shortcuts of a single page. Keys with a name, such as the arrows, work even if single letters are switched off. */
export function usePageKeys(keys: Readonly<Record<string, () => void>>): void {
  const current = useRef(keys);
  current.current = keys;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || isCovered()) return;
      if (event.key.length === 1 && !singleKeysOn()) return;
      const act = current.current[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}
