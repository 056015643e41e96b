/** `npm run bench` measures the service; `-- detectors` the detectors beside others, `-- backtest` the judging of recorded decisions, `-- conversation` that of a growing conversation, `-- policy` the commands on policies. */
if (process.argv[2] === 'detectors') await import('./detectors/compare.js');
else if (process.argv[2] === 'backtest') await import('./backtest.js');
else if (process.argv[2] === 'conversation') await import('./conversation.js');
else if (process.argv[2] === 'policy') await import('./policy.js');
else await import('./main.js');
