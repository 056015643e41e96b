import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, type ReactNode } from 'react';
import { get } from '../api/client.ts';
import type { CallEvent } from '../api/types.ts';
import { Block } from '../parts/block.tsx';
import { CopyButton } from '../parts/small.tsx';
import { TestFile } from '../parts/test-file.tsx';

const Dialog = lazy(() => import('../parts/dialog.tsx'));

interface Captured {
  readonly path: string;
  readonly yaml: string;
}

export function TestDialog({ event, close }: { readonly event: CallEvent; readonly close: () => void }): ReactNode {
  const test = useQuery({
    queryKey: ['test', event.id],
    queryFn: () => get<Captured>(`/v1/events/${event.id}/test`, { app: event.app.id }),
  });
  return (
    <Suspense fallback={null}>
      <Dialog title="Make a test" close={close} size={720}>
        <Block what="the test" query={test} height={240}>
          {({ path, yaml }) => (
            <div className="stack">
              <p className="meta">The test contains the structure of the call, never its text.</p>
              <TestFile path={path} yaml={yaml}>
                <CopyButton text={`weir capture ${event.id}`}>Copy as weir capture</CopyButton>
              </TestFile>
            </div>
          )}
        </Block>
      </Dialog>
    </Suspense>
  );
}
