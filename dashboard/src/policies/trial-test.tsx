/** The tried call as a policy test. Unlike a test of a recorded call, it contains the typed text. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Block } from '../parts/block.tsx';
import Dialog from '../parts/dialog.tsx';
import { TestFile } from '../parts/test-file.tsx';
import { visible } from '../parts/text.tsx';
import type { AskedTrial } from './playground-call.ts';
import { askFor } from './use-trial.ts';

export function TrialTest({ asked, close }: { readonly asked: AskedTrial; readonly close: () => void }): ReactNode {
  const test = useQuery({
    queryKey: ['trial-test'],
    queryFn: async () => (await askFor(asked, { as_test: true })).test,
    // The typed text is not cached after the dialog is closed.
    gcTime: 0,
    staleTime: 0,
  });
  return (
    <Dialog title="Save as test" close={close} size={720}>
      <Block what="the test" query={test} height={240}>
        {(found) =>
          found !== null && (
            <div className="stack">
              <p className="meta">The test contains the text as you typed it. Weir does not store it.</p>
              {!found.passes && (
                <p className="notice amber">
                  The test does not pass yet. These fields differ in a test: {found.missing.map(visible).join(', ')}.
                </p>
              )}
              <TestFile path={found.path} yaml={found.yaml} />
            </div>
          )
        }
      </Block>
    </Dialog>
  );
}
