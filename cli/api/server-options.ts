import { SERVER_FLAGS, textOption } from '../command.js';

const group = SERVER_FLAGS;

/** The flags that select the server and the credential. */
export const SERVER_OPTIONS = {
  url: { group, ...textOption('Server URL; default: WEIR_URL, then the context') },
  'token-file': {
    alias: 'api-key-file',
    group,
    ...textOption('File with the management token; - for stdin; default: WEIR_TOKEN, then the context'),
  },
  context: { group, ...textOption('Saved server; as shown by `weir context list`') },
} as const;
