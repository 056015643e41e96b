/** The parts of the top bar that only a small screen has: the environment as a chip, and a menu. Both open a sheet. */
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState, type ReactNode } from 'react';
import { Icon } from '../parts/icons.tsx';
import { setTheme, useShownTheme } from './look.ts';
import type { Chosen } from './page-environment.ts';

const ChoiceSheet = lazy(() => import('../parts/choice-sheet.tsx'));

interface EnvironmentChipProps {
  readonly value: Chosen;
  readonly options: readonly (readonly [value: Chosen, label: string])[];
  readonly choose: (environment: Chosen) => void;
}

export function EnvironmentChip({ value, options, choose }: EnvironmentChipProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const shown = options.find(([each]) => each === value)?.[1] ?? value;
  return (
    <>
      <button
        type="button"
        className="environment-chip"
        aria-label={`Environment: ${shown}`}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <span>
          {shown}
          <Icon name="down" />
        </span>
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <ChoiceSheet
            title="Environment"
            choices={options.map(([each, label]) => ({
              label,
              isChosen: each === value,
              act: () => choose(each),
            }))}
            close={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}

/** A menu of the actions that have no space in the top bar of a small screen. */
export function PhoneMenu({ openPalette }: { readonly openPalette: () => void }): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const navigate = useNavigate();
  const next = useShownTheme() === 'dark' ? 'light' : 'dark';
  return (
    <>
      <button
        type="button"
        className="button quiet icon-only narrow-only"
        aria-label="Menu"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <Icon name="more" />
      </button>
      {isOpen && (
        <Suspense fallback={null}>
          <ChoiceSheet
            title="Menu"
            choices={[
              { label: 'Search or jump to…', icon: 'search', act: openPalette },
              {
                label: `Switch to the ${next} theme`,
                icon: next === 'dark' ? 'moon' : 'sun',
                act: () => setTheme(next),
              },
              {
                label: 'Your profile',
                icon: 'person',
                act: () => void navigate({ to: '/settings/$tab', params: { tab: 'profile' } }),
              },
            ]}
            close={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
