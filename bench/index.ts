/** `npm run bench` measures the service; `npm run bench -- detectors` the detectors beside others. */
if (process.argv[2] === 'detectors') await import('./detectors/compare.js');
else await import('./main.js');
