import type { Caller } from '../../access/index.js';

/** Who submits the events of specs. */
export const CALLER: Caller = {
  accountId: 'acc',
  appId: 'app',
  appName: 'App',
  keyId: 'key',
  keyName: 'Key',
  environment: 'production',
};
