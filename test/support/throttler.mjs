/**
 * Stands for `@nestjs/throttler` in tests. The package is CommonJS and requires Nest, which is made of ES modules; jest
 * can do that only once Nest has run, so it is imported here before.
 */
import '@nestjs/common';
import '@nestjs/core';

const { default: throttler } = await import('../../node_modules/@nestjs/throttler/dist/index.js');
export const { InjectThrottlerOptions, InjectThrottlerStorage, normalizeIp, ThrottlerGuard, ThrottlerModule } =
  throttler;
