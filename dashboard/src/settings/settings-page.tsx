import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Page } from '../shell/page.tsx';
import { Close, Profile, Security } from './account.tsx';
import { Appearance } from './appearance-tab.tsx';
import { Records } from './records.tsx';
import { SessionList } from './sessions.tsx';
import { Tokens } from './tokens.tsx';

const TABS = {
  profile: ['Profile', Profile],
  security: ['Security', Security],
  sessions: ['Sessions', SessionList],
  tokens: ['Tokens', Tokens],
  records: ['Records', Records],
  look: ['Appearance', Appearance],
  account: ['Close account', Close],
} as const satisfies Record<string, readonly [string, () => ReactNode]>;

export function SettingsPage(): ReactNode {
  const { tab = 'profile' } = useParams({ strict: false }) as { tab?: string };
  const name = Object.hasOwn(TABS, tab) ? (tab as keyof typeof TABS) : 'profile';
  const [label, Shown] = TABS[name];
  return (
    <Page title={`Settings, ${label.toLowerCase()}`} heading="Settings">
      <nav className="tabs" aria-label="Settings">
        {Object.entries(TABS).map(([key, [text]]) => (
          <Link key={key} to="/settings/$tab" params={{ tab: key }} activeOptions={{ includeSearch: false }}>
            {text}
          </Link>
        ))}
      </nav>
      <Shown />
    </Page>
  );
}
