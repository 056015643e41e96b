/**
 * The pages of apps: list, settings, limits, keys, setup guide. Secrets of new keys are shown once.
 */

export { AppPage } from './app-page.tsx';
export { AppsPage } from './apps-page.tsx';
export { AppSettingsPage } from './app-settings-page.tsx';
export { SetupPage } from './setup-page.tsx';
