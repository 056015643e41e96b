/** The common parts of every page: its window title, one heading, and a place for it in the top bar. */
import { Link } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';
import { visible } from '../parts/visible.ts';
import { LinkNotices } from './link-notices.tsx';
import { useView } from './view.ts';

export const TITLE_SLOT = 'page-title';

interface PageProps {
  readonly title: string;
  /** Shown in the top bar instead of the plain title. */
  readonly heading?: ReactNode;
  /** The page has its own scrolling areas. */
  readonly full?: boolean;
  readonly children: ReactNode;
}

export function Page({ title: name, heading, full = false, children }: PageProps): ReactNode {
  const { environment } = useView();
  // Callers choose some of the names, such as the ids of sessions.
  const title = visible(name);
  useEffect(() => {
    document.title = `${title} · ${environment} · Weir`;
  }, [title, environment]);
  // The top bar only exists after the frame around the page is rendered.
  const [slot, setSlot] = useState<HTMLElement | null>(() => document.getElementById(TITLE_SLOT));
  useEffect(() => setSlot(document.getElementById(TITLE_SLOT)), []);
  return (
    <>
      {slot !== null && createPortal(<h1 className="cut">{heading ?? title}</h1>, slot)}
      <div className={full ? 'page full' : 'page'}>
        <LinkNotices />
        {children}
      </div>
    </>
  );
}

interface TrailProps {
  readonly to: '/apps' | '/budgets' | '/exports' | '/policies';
  readonly above: string;
  readonly children: string;
}

/** The heading of a page with a parent page. */
export function Trail({ to, above, children }: TrailProps): ReactNode {
  return (
    <span className="line nowrap">
      <Link to={to} className="dim">
        {above}
      </Link>
      <span className="dim">/</span>
      <bdi className="cut">{visible(children)}</bdi>
    </span>
  );
}
