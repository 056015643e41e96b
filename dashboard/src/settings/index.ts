/**
 * The pages of the account, its sessions and tokens, and the appearance of the dashboard. Appearance is kept in the
 * browser.
 */

export { SettingsPage } from './settings-page.tsx';
