/** The frame around every page: the current page, environment and time range, and the navigation. */
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { Fragment, lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { ApiError, watchConnection } from '../api/client.ts';
import { useMe } from '../api/queries.ts';
import { useWasUpdated } from '../api/version.ts';
import { ENVIRONMENTS } from '../api/types.ts';
import { Failed } from '../parts/block.tsx';
import { useAnnouncement } from '../parts/copying.ts';
import { Icon } from '../parts/icons.tsx';
import { Segments } from '../parts/small.tsx';
import { UserText, visible } from '../parts/text.tsx';
import { clock, count } from '../parts/format.ts';
import { useZone } from '../parts/zone.ts';
import { useKeys } from './keys.ts';
import { usePlaces, type Place } from './nav.ts';
import { usePins } from './pins.ts';
import { PasswordDialog } from './password-dialog.tsx';
import { TITLE_SLOT } from './page.tsx';
import { EnvironmentChip, PhoneMenu } from './phone-bar.tsx';
import { RangePicker } from './range-picker.tsx';
import { refusalReason } from './refusal-reason.ts';
import { useShownTheme, useTheme } from './look.ts';
import { leave } from './signing-out.ts';
import type { Chosen } from './page-environment.ts';
import { parseSearch, useChooseEnvironment, useView } from './view.ts';

const Palette = lazy(() => import('./palette.tsx'));
const KeysSheet = lazy(() => import('./keys-sheet.tsx'));

const ENVIRONMENT_LABELS = [...ENVIRONMENTS, 'all' as const].map(
  (each) => [each, each.charAt(0).toUpperCase() + each.slice(1)] as const,
);

export function Layout(): ReactNode {
  const { environment } = useView();
  // The frame shows times too; pages read the zone themselves.
  useZone();
  const [overlay, setOverlay] = useState<'palette' | 'keys' | null>(null);
  const [isFolded, fold] = useFolded();
  useKeys({ palette: () => setOverlay('palette'), help: () => setOverlay('keys'), fold });
  useOnePerson();
  const close = (): void => setOverlay(null);
  return (
    <div className={`shell${isFolded ? ' folded' : ''}`} data-environment={environment}>
      <a className="skip" href="#main">
        Skip to the page
      </a>
      <Nav />
      <div className="content">
        <TopBar openPalette={() => setOverlay('palette')} openKeys={() => setOverlay('keys')} />
        <Banners />
        {/* The element is focusable, so that keys scroll it even while it contains no focusable element. */}
        <main id="main" tabIndex={0}>
          <Suspense fallback={null}>
            <Known>
              <Outlet />
            </Known>
          </Suspense>
        </main>
      </div>
      <TabBar />
      <Suspense fallback={null}>
        {overlay === 'palette' && <Palette close={close} />}
        {overlay === 'keys' && <KeysSheet close={close} />}
      </Suspense>
      <PasswordDialog />
      <Announcements />
    </div>
  );
}

/** Leaves the page if somebody else has signed in with another tab: its requests would be made, and answered, in their name. */
function useOnePerson(): void {
  const me = useMe().data;
  const who = me === undefined ? undefined : `${me.account.id} ${me.person?.id ?? ''}`;
  const first = useRef(who);
  useEffect(() => {
    if (who === undefined) return;
    first.current ??= who;
    // Only here: the other tab is theirs.
    if (first.current !== who) leave('/');
  }, [who]);
}

/** Reads short messages to screen readers, such as whether a text was copied. */
function Announcements(): ReactNode {
  return (
    <div role="status" className="sr">
      {useAnnouncement()}
    </div>
  );
}

/** Renders a page after the user and the features of the service are known, so that the layout does not shift. */
function Known({ children }: { readonly children: ReactNode }): ReactNode {
  const { data, error, refetch } = useMe();
  if (data !== undefined) return children;
  if (error === null) return null;
  return (
    <div className="page">
      <Failed what="your profile" error={error} again={() => void refetch()} />
    </div>
  );
}

function Nav(): ReactNode {
  const places = usePlaces();
  const me = useMe().data;
  const link = (place: Place): ReactNode => (
    <Link
      key={place.to}
      to={place.to as '/'}
      activeOptions={{ exact: place.to === '/', includeSearch: false }}
      title={place.label}
    >
      <Icon name={place.icon} />
      <span>{place.label}</span>
    </Link>
  );
  return (
    <nav className="nav" aria-label="Main">
      <Link to="/" className="brand" aria-label="Weir, overview">
        <Icon name="logo" />
        <span>Weir</span>
      </Link>
      {places
        .filter(({ manage }) => manage !== true)
        .map((place) => (
          <Fragment key={place.to}>
            {link(place)}
            {place.to === '/events' && <Pins />}
          </Fragment>
        ))}
      <p className="nav-group">Manage</p>
      {places.filter(({ manage }) => manage === true).map(link)}
      <div className="nav-foot">
        <Trial />
        {me?.person !== null && me !== undefined && (
          <p className="cut meta" title={me.account.email}>
            {me.account.email}
          </p>
        )}
      </div>
    </nav>
  );
}

/** Saved views that the user has pinned, below the entry of their page. */
function Pins(): ReactNode {
  return usePins().map(({ id, name, query }) => (
    <Link
      key={id}
      to="/events"
      search={parseSearch(query) as never}
      activeOptions={{ exact: true }}
      className="pin"
      title={visible(name)}
    >
      <UserText text={name} cut />
    </Link>
  ));
}

const DAY_MS = 86_400_000;

function Trial(): ReactNode {
  const subscription = useMe().data?.subscription;
  if (subscription?.state !== 'trialing' || subscription.billing === 'off' || subscription.trial === null) return null;
  const { events_used: used, events_included: included, ends_at: ends } = subscription.trial;
  const days = Math.max(0, Math.ceil((Date.parse(ends) - Date.now()) / DAY_MS));
  return (
    <Link to="/subscription" className="trial">
      <span>
        Trial: {count(used)} of {count(included)} events,{' '}
        <span className="nowrap">
          {days} {days === 1 ? 'day' : 'days'}
        </span>
      </span>
      <progress className="thin" value={used} max={included} aria-label="Events of the trial" />
    </Link>
  );
}

interface Openers {
  readonly openPalette: () => void;
  readonly openKeys: () => void;
}

function TopBar({ openPalette, openKeys }: Openers): ReactNode {
  const { environment } = useView();
  const choose = useChooseEnvironment();
  const [theme, setTheme] = useTheme();
  const next = useShownTheme() === 'dark' ? 'light' : 'dark';
  return (
    <header className="topbar">
      <div id={TITLE_SLOT} className="title" />
      <button type="button" className="search-button" onClick={openPalette}>
        <Icon name="search" />
        <span>Search or jump to…</span>
        <kbd>⌘K</kbd>
      </button>
      <div className="environment">
        <Segments label="Environment" value={environment} options={ENVIRONMENT_LABELS} onChange={choose} />
        <select
          className="input environment-select"
          aria-label="Environment"
          value={environment}
          onChange={(event) => choose(event.target.value as Chosen)}
        >
          {ENVIRONMENT_LABELS.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <EnvironmentChip value={environment} options={ENVIRONMENT_LABELS} choose={choose} />
      </div>
      <RangePicker />
      <button type="button" className="button quiet icon-only help" aria-label="Keys" onClick={openKeys}>
        <Icon name="help" />
      </button>
      <button
        type="button"
        className="button quiet icon-only wide-only"
        aria-label={`Theme: ${theme}. Switch to ${next}`}
        onClick={() => setTheme(next)}
      >
        <Icon name={next === 'dark' ? 'moon' : 'sun'} />
      </button>
      <Link
        to="/settings/$tab"
        params={{ tab: 'profile' }}
        className="button quiet icon-only help"
        aria-label="Your profile"
      >
        <Icon name="person" />
      </Link>
      <PhoneMenu openPalette={openPalette} />
    </header>
  );
}

const TABS = ['/', '/events', '/policies', '/budgets'];

function TabBar(): ReactNode {
  const places = usePlaces();
  const { pathname } = useLocation();
  const isElsewhere = !TABS.some((to) => (to === '/' ? pathname === '/' : pathname.startsWith(to)));
  return (
    <nav className="tabbar" aria-label="Main">
      {places
        .filter(({ to }) => TABS.includes(to))
        .map(({ to, label, icon }) => (
          <Link key={to} to={to as '/'} activeOptions={{ exact: to === '/', includeSearch: false }}>
            <Icon name={icon} />
            {label}
          </Link>
        ))}
      <Link to="/more" className={isElsewhere ? 'active' : ''}>
        <Icon name="more" />
        More
      </Link>
    </nav>
  );
}

function Banners(): ReactNode {
  const [lostAt, setLostAt] = useState<string | null>(null);
  const me = useMe();
  const wasUpdated = useWasUpdated();
  useEffect(
    () => watchConnection((isUp) => setLostAt((before) => (isUp ? null : (before ?? new Date().toISOString())))),
    [],
  );
  const subscription = me.data?.subscription;
  const reason = subscription === undefined || subscription === null ? null : refusalReason(subscription);
  return (
    <>
      {lostAt !== null && (
        <p className="banner lost" role="status">
          No connection. Showing the data loaded by {clock(lostAt)}; retrying automatically.
        </p>
      )}
      {wasUpdated && (
        <p className="banner" role="status">
          Weir was updated.{' '}
          <button type="button" className="plain link" onClick={() => location.reload()}>
            Reload
          </button>
        </p>
      )}
      {me.error instanceof ApiError && me.error.type === 'email_not_verified' && (
        <p className="banner">
          Your address is not verified yet. <a href="/auth/account">Verify it</a>
        </p>
      )}
      {reason !== null && (
        <p className="banner">
          Calls are refused because {reason}. You can still read and export data.{' '}
          <Link to="/subscription">Choose a plan</Link>
        </p>
      )}
    </>
  );
}

const FOLDED = 'weir.nav';

function useFolded(): readonly [boolean, () => void] {
  const [isFolded, setFolded] = useState(() => localStorage.getItem(FOLDED) === 'folded');
  const fold = (): void => {
    localStorage.setItem(FOLDED, isFolded ? 'open' : 'folded');
    setFolded(!isFolded);
  };
  return [isFolded, fold];
}
