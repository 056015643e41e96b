/**
 * The settings: read once from the environment and the configuration file, checked, and provided as one typed tree. Only this folder reads
 * `process.env`; it depends on no feature.
 */
export type {
  AppConfig,
  DatabaseConfig,
  LogLevel,
  ProviderConfig,
  RateLimit,
  RemoteDetectorConfig,
  StripeConfig,
} from './app-config.js';
export { ConfigError, type ConfigProblem } from './config-error.js';
export { APP_CONFIG, ConfigModule } from './config.module.js';
export { loadConfig, loadProcessConfig, type Env, type ReadFile } from './load-config.js';
export { CONFIG_FILE_SUMMARY, CONFIG_FILE_VARIABLE, SETTINGS, type Setting } from './settings.js';
