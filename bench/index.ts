/**
 * `npm run bench` measures the service; `-- detectors` the detectors beside others, `-- backtest` the judging of recorded decisions, `-- conversation` that of a growing conversation, `-- held` what is held back of a
 * streamed answer, `-- streams` how late its events are, `-- policy` the commands on policies, `-- policy-commands` them over 200 rules, `-- rules` what judging costs by the number of rules, `-- export` what large exports take, `-- search` whether looking for events stays fast (`--while-looking`: and slows nobody), `-- dashboard` what the dashboard weighs and how fast it is, `-- large-texts` whether a call of megabytes, `-- noisy-key` whether a noisy key holds up others, `-- hostile-key` what a key that does its worst does to others, `-- sdk` what the SDKs cost the process that uses them, `-- batch` what an event of a batch costs, `-- retention` what taking away a week of events does to others, `-- timings` whether times tell known from unknown, `-- faults` what faults do to those who call meanwhile, `-- overload` whether a service that is asked for too much goes on doing what it can, `-- gate <commit>` whether a call costs more than at another commit. */
if (process.argv[2] === 'detectors') await import('./detectors/compare.js');
else if (process.argv[2] === 'backtest') await import('./backtest.js');
else if (process.argv[2] === 'conversation') await import('./conversation.js');
else if (process.argv[2] === 'held') await import('./held.js');
else if (process.argv[2] === 'streams') await import('./streams.js');
else if (process.argv[2] === 'policy') await import('./policy.js');
else if (process.argv[2] === 'policy-commands') await import('./policy-commands.js');
else if (process.argv[2] === 'rules') await import('./rules.js');
else if (process.argv[2] === 'budgets') await import('./budgets.js');
else if (process.argv[2] === 'export') await import('./export.js');
else if (process.argv[2] === 'search') await import('./search.js');
else if (process.argv[2] === 'linear') await import('./linear.js');
else if (process.argv[2] === 'dashboard') await import('./dashboard.js');
else if (process.argv[2] === 'large-texts') await import('./large-texts.js');
else if (process.argv[2] === 'noisy-key') await import('./noisy-key.js');
else if (process.argv[2] === 'hostile-key') await import('./hostile-key.js');
else if (process.argv[2] === 'sdk') await import('./sdk.js');
else if (process.argv[2] === 'faults') await import('./faults.js');
else if (process.argv[2] === 'overload') await import('./overload.js');
else if (process.argv[2] === 'gate') await import('./gate.js');
else if (process.argv[2] === 'batch') await import('./batch.js');
else if (process.argv[2] === 'retention') await import('./retention.js');
else if (process.argv[2] === 'timings') await import('./timings.js');
else await import('./main.js');
