import type { Caller } from '../../access/index.js';

/** The caller that submits events in specs. */
export const CALLER: Caller = {
  accountId: 'acc',
  appId: 'app',
  appName: 'App',
  keyId: 'key',
  keyName: 'Key',
  environment: 'production',
};
