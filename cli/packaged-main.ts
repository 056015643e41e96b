#!/usr/bin/env node
/**
 * `weir` of the package weir-cli and of the single executables (scripts/bundle-cli.mjs): every command but the service.
 * Nothing is awaited at the top: the executables are made of a CommonJS file, which does not allow it.
 */
import { runProcess } from './run-process.js';

void runProcess(() => import('./run.js'));
