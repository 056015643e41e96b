/** Runs in a separate process and prints the CPU time until the default detectors are ready. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e3;
};
const startedMs = cpuMs();
const { defaultBindings, defaultDetectors, findTogether } = await import('./score.js');
const bindings = defaultBindings();
const loadedMs = cpuMs();
findTogether(defaultDetectors(bindings), 'Mail ana@example.com, call +1 212 555 0100.');
const readyMs = cpuMs();
process.stdout.write(JSON.stringify({ compileMs: readyMs - loadedMs, wholeMs: readyMs - startedMs }));
