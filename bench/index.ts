/** `npm run bench` measures the service; `-- detectors` the detectors beside others, `-- backtest` the judging of recorded decisions. */
if (process.argv[2] === 'detectors') await import('./detectors/compare.js');
else if (process.argv[2] === 'backtest') await import('./backtest.js');
else await import('./main.js');
