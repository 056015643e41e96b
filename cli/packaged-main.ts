#!/usr/bin/env node
/**
 * `weir` of the package weir-cli and of the single executables (scripts/bundle-cli.mjs): every command except those of the service.
 * There is no top-level await: the executables are built from a CommonJS file, which does not allow it.
 */
import { runProcess } from './run-process.js';

void runProcess(() => import('./run.js'));
