/** Own icons, 24 × 24 strokes: thirty paths are smaller than any package. */
import type { ReactNode } from 'react';

const PATHS = {
  logo: 'M3 7c2-2 4-2 6 0s4 2 6 0 4-2 6 0M2 12h20M6 12v6M12 12v6M18 12v6',
  overview: 'M12 21a9 9 0 1 1 0-18 9 9 0 0 1 0 18zM12 12l4-4M12 7v0M7 12h0',
  events: 'M3 12h4l3-8 4 16 3-8h4',
  sessions: 'M4 6h2M9 6h11M7 12h2M12 12h8M7 18h2M12 18h8M5 8v9',
  policies: 'M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6z',
  budgets: 'M4 7h14a2 2 0 0 1 2 2v9a2 2 0 0 1-2 2H5a1 1 0 0 1-1-1zM4 7l12-3v3M15 13h5',
  apps: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 17h6M17 14v6',
  audit: 'M12 8v4l3 2M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4',
  exports: 'M6 3h8l4 4v14H6zM14 3v4h4M12 11v6M9.500 14.500 12 17l2.500-2.500',
  subscription: 'M3 6h18v12H3zM3 10h18M7 15h3',
  settings: 'M6 4v9M6 17v3M12 4v3M12 11v9M18 4v10M18 18v2M4 15h4M10 9h4M16 16h4',
  more: 'M4 12a1.500 1.500 0 1 0 3 0a1.500 1.500 0 1 0-3 0M10.500 12a1.500 1.500 0 1 0 3 0a1.500 1.500 0 1 0-3 0M17 12a1.500 1.500 0 1 0 3 0a1.500 1.500 0 1 0-3 0',
  search: 'M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM20 20l-4-4',
  sun: 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 2v2M12 20v2M4 12H2M22 12h-2M5 5l1.500 1.500M17.500 17.500 19 19M19 5l-1.500 1.500M6.500 17.500 5 19',
  moon: 'M20 14A8 8 0 0 1 10 4a8 8 0 1 0 10 10z',
  help: 'M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.500 9.500a2.500 2.500 0 1 1 3.500 2.300c-.7.400-1 .9-1 1.700M12 17h.01',
  check: 'M5 12l5 5L19 7',
  flag: 'M6 21V4h11l-2 4 2 4H6',
  redact: 'M4 10h16v4H4z',
  block: 'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM6.500 6.500l11 11',
  alert: 'M12 4l9 16H3zM12 10v4M12 17h.01',
  close: 'M6 6l12 12M18 6 6 18',
  plus: 'M12 5v14M5 12h14',
  copy: 'M9 9h10v11H9zM5 15V4h10',
  left: 'M15 6l-6 6 6 6',
  right: 'M9 6l6 6-6 6',
  up: 'M6 15l6-6 6 6',
  down: 'M6 9l6 6 6-6',
  live: 'M12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 17a7 7 0 0 1 0-10M17 7a7 7 0 0 1 0 10',
  key: 'M8 15a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 11h9M18 11v4',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c1-5 4-7 8-7s7 2 8 7',
  filter: 'M4 6h16M7 12h10M10 18h4',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }): ReactNode {
  return (
    <svg className="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
