import { lazy, Suspense, type ReactNode } from 'react';
import type { CallEvent } from '../api/types.ts';
import { Skeleton } from '../parts/block.tsx';
import { CopyButton } from '../parts/small.tsx';

const Code = lazy(() => import('../parts/code.tsx'));

export function RawRecord({ event }: { readonly event: CallEvent }): ReactNode {
  const text = JSON.stringify(event, null, 2);
  return (
    <div className="stack">
      <div className="line">
        <CopyButton text={text}>Copy record</CopyButton>
      </div>
      <Suspense fallback={<Skeleton height={400} />}>
        <Code text={text} label="Record" />
      </Suspense>
    </div>
  );
}
