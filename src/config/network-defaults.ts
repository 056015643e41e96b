/**
 * Imported before all libraries, by the service, its supervisor and workers, and the command: defaults of Node.js that are too small for
 * slow networks. Processes that this one starts inherit the variable.
 */
import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';

/**
 * Of several addresses of a name, Node.js gives up each but the last after 250 ms: a server that is further away, or whose first packet is
 * lost (it is sent again after a second), would be refused although the time limit for connecting is much longer.
 */
const ADDRESS_ATTEMPT_MS = 2_500;
/**
 * The threads that look up names, and read files. libuv uses at most half of them for look-ups: with its default of four, two slow names
 * would stop all others. It creates them when the first is needed, and reads the variable only then. The others cost 20 kB each.
 */
const POOL_THREADS = '16';

setDefaultAutoSelectFamilyAttemptTimeout(Math.max(getDefaultAutoSelectFamilyAttemptTimeout(), ADDRESS_ATTEMPT_MS));
process.env['UV_THREADPOOL_SIZE'] ??= POOL_THREADS;
