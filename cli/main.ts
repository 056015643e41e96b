#!/usr/bin/env node
import { runModule } from './offline.js';
import { runProcess } from './run-process.js';

await runProcess(async (argv) => (await import(runModule(argv, process.env))) as typeof import('./run.js'));
