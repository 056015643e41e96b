import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty } from '../parts/block.tsx';

export function NoSuchApp(): ReactNode {
  return (
    <Empty>
      There is no such app, or it was archived.{' '}
      <Link to="/apps" className="link">
        All apps
      </Link>
    </Empty>
  );
}
