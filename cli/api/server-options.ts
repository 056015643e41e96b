import { textOption } from '../command.js';

/** The flags that say which server to talk to, and as whom. */
export const SERVER_OPTIONS = {
  url: textOption('Server URL; default: WEIR_URL, then the context'),
  'token-file': {
    alias: 'api-key-file',
    ...textOption('File with the management token, - for stdin; default: WEIR_TOKEN, then the context'),
  },
  context: textOption('Saved server, as shown by `weir context list`'),
} as const;
