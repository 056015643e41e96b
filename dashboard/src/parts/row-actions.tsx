import { useState, type ReactNode } from 'react';
import ChoiceSheet from './choice-sheet.tsx';
import { Icon } from './icons.tsx';
import { visible } from './visible.ts';

interface RowAction {
  readonly label: string;
  readonly isDanger?: boolean;
  readonly act: () => void;
}

interface RowActionsProps {
  /** The name of the row's item: it is part of the accessible names, because a screen reader reads them without the row. */
  readonly of: string;
  readonly actions: readonly RowAction[];
}

/** The actions of a table row: buttons, and on a small screen a menu. */
export function RowActions({ of, actions }: RowActionsProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const name = visible(of);
  return (
    <span className="line tight nowrap">
      {actions.map(({ label, isDanger, act }) => (
        <button
          key={label}
          type="button"
          className={`button wide-only${isDanger === true ? ' danger' : ''}`}
          aria-label={`${label} ${name}`}
          onClick={act}
        >
          {label}
        </button>
      ))}
      <button
        type="button"
        className="button quiet icon-only narrow-only row-menu"
        aria-label={`Actions for ${name}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon name="more" />
      </button>
      {isOpen && <ChoiceSheet title={name} choices={actions} close={() => setOpen(false)} />}
    </span>
  );
}
