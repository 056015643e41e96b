/**
 * The place of a person on a page. The part of the window that scrolls, and the focus, outlive the pages in it: without this, a page would
 * open at the place to which the page before it was scrolled, and keys would scroll nothing after a followed link.
 */
import type { RegisteredRouter } from '@tanstack/react-router';
import { focusPageIfLost } from '../parts/focus.ts';

type Location = RegisteredRouter['latestLocation'];

/** The scroll position of each entry of the browser's history when it was left, in pixels. */
const left = new Map<string, number>();

const keyOf = ({ state, href }: Location): string => state.__TSR_key ?? href;
const main = (): HTMLElement | null => document.getElementById('main');

/** A page that is opened begins at its top; Back and Forward lead to the place that was left. */
export function keepPlaces(router: Pick<RegisteredRouter, 'subscribe'>): void {
  router.subscribe('onBeforeLoad', ({ fromLocation }) => {
    if (fromLocation !== undefined) left.set(keyOf(fromLocation), main()?.scrollTop ?? 0);
  });
  router.subscribe('onRendered', ({ fromLocation, toLocation, pathChanged }) => {
    // Filters, tabs and ranges change the page in place.
    if (fromLocation === undefined || !pathChanged) return;
    const place = left.get(keyOf(toLocation));
    // A link to a line is followed by the page that shows it.
    if (place !== undefined || toLocation.hash === '') main()?.scrollTo({ top: place ?? 0 });
    focusPageIfLost();
  });
}
