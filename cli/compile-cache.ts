import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Keeps V8's compiled code of the modules for the next start (https://nodejs.org/api/module.html#module-compile-cache), in a folder
 * that only this user can write to: otherwise other users could inject code. `NODE_COMPILE_CACHE` names another folder,
 * `NODE_DISABLE_COMPILE_CACHE` switches it off. If the folder is not writable, nothing is cached.
 */
export function keepCompiledCode(env: NodeJS.ProcessEnv): void {
  const home = cacheHome(env);
  if (env['NODE_COMPILE_CACHE'] !== undefined) module.enableCompileCache();
  else if (home !== undefined) module.enableCompileCache(join(home, 'weir', 'compiled'));
}

/** The folder of this user's caches: by the XDG Base Directory Specification, or by the conventions of macOS and Windows. */
function cacheHome(env: NodeJS.ProcessEnv): string | undefined {
  if (env['XDG_CACHE_HOME']?.startsWith('/') === true) return env['XDG_CACHE_HOME'];
  const home = homedir();
  if (home === '' || home === '/') return undefined;
  if (process.platform === 'darwin') return join(home, 'Library', 'Caches');
  if (process.platform === 'win32') return env['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local');
  return join(home, '.cache');
}
