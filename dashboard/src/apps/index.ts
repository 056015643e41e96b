export { AppsPage } from './apps-page.tsx';
export { AppSettingsPage } from './app-settings-page.tsx';
export { SetupPage } from './setup-page.tsx';
