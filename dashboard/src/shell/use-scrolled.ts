import { useEffect, useState } from 'react';

/** Whether the user has scrolled down on the page. */
export function useIsScrolled(): boolean {
  const [isScrolled, setScrolled] = useState(false);
  useEffect(() => {
    const main = document.getElementById('main');
    const scroll = (): void => setScrolled((main?.scrollTop ?? 0) > 0);
    scroll();
    main?.addEventListener('scroll', scroll, { passive: true });
    return () => main?.removeEventListener('scroll', scroll);
  }, []);
  return isScrolled;
}
