import type { ReactNode } from 'react';
import Dialog from '../parts/dialog.tsx';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['⌘K  Ctrl K  /', 'Search or jump to'],
  ['g then o e s p b a', 'Overview, events, sessions, policies, budgets, apps'],
  ['j  k', 'Next, previous row or call'],
  ['Enter', 'Open the row'],
  ['Space', 'Preview the row'],
  ['x  Shift click', 'Select the row, select up to the row'],
  ['⌘ click  Ctrl click', 'Open the row in a new tab'],
  ['f', 'Add a filter'],
  ['t', 'Live tail'],
  ['Shift E', 'Next environment'],
  ['Shift R', 'Time'],
  ['1 … 5', 'Tabs of a call'],
  ['y  n', 'Mark a call as right, wrong'],
  ['m', 'Create a test from a call'],
  ['n  p', 'Next, previous change of a diff'],
  ['c', 'Copy the address'],
  ['.', 'Copy the id of the call, session, app, budget or rule'],
  ['⌘Enter', 'Run the playground'],
  ['[', 'Fold the navigation'],
  ['Esc', 'Close; return from a range that was dragged on a chart'],
];

export default function KeysSheet({ close }: { readonly close: () => void }): ReactNode {
  return (
    <Dialog title="Keys" close={close}>
      <dl className="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <p className="hint">Single-letter shortcuts can be disabled in Settings, Appearance.</p>
    </Dialog>
  );
}
