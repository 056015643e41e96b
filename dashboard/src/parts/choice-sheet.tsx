/** A dialog with choices or actions below each other, such as the menu of a small screen. */
import type { ReactNode } from 'react';
import { flushSync } from 'react-dom';
import Dialog from './dialog.tsx';
import { Icon, type IconName } from './icons.tsx';

export interface Choice {
  readonly label: string;
  readonly icon?: IconName;
  /** Whether this is the current choice; absent for actions. */
  readonly isChosen?: boolean;
  readonly isDanger?: boolean;
  readonly act: () => void;
}

interface ChoiceSheetProps {
  readonly title: string;
  readonly choices: readonly Choice[];
  readonly close: () => void;
}

export default function ChoiceSheet({ title, choices, close }: ChoiceSheetProps): ReactNode {
  const chosen = choices.findIndex(({ isChosen }) => isChosen === true);
  return (
    <Dialog title={title} close={close} size={360}>
      <ul>
        {choices.map(({ label, icon, isChosen, isDanger, act }, index) => (
          <li key={label}>
            <button
              type="button"
              className={isDanger === true ? 'choice danger' : 'choice'}
              aria-pressed={isChosen}
              data-autofocus={index === Math.max(0, chosen) || undefined}
              onClick={() => {
                // First of all, so that the focus is back on the page: a dialog that the action opens returns it there.
                flushSync(close);
                act();
              }}
            >
              {icon !== undefined && <Icon name={icon} />}
              <span className="cut">{label}</span>
              {isChosen === true && (
                <span className="push">
                  <Icon name="check" />
                </span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
