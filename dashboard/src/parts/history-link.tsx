import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** The service filters by at most this number of subjects. */
const MOST_SUBJECTS = 50;

interface HistoryLinkProps {
  /** The subjects of the entries: ids of the changed things, or the environment of a policy. */
  readonly of: readonly string[];
  readonly children?: string;
}

/** Opens the entries of the audit log about one thing, or several, from the longest of the usual time ranges. */
export function HistoryLink({ of, children = 'History' }: HistoryLinkProps): ReactNode {
  if (of.length === 0) return null;
  const search = { subject: of.slice(0, MOST_SUBJECTS).join(','), range: '90d', from: undefined, to: undefined };
  return (
    <Link to="/audit" search={search as never} className="button" title="Entries of the audit log">
      {children}
    </Link>
  );
}
