/** Keeps the place of keyboard users when the element with the focus leaves the page. */

/** Gives the focus to the page: for a button that leaves the page when it is pressed. */
export function focusPage(): void {
  document.getElementById('main')?.focus({ preventScroll: true });
}

/** Gives the focus to the page if no element of it has the focus any more. */
export function focusPageIfLost(): void {
  const { activeElement: focused, body } = document;
  if (focused === null || focused === body) focusPage();
}
