/**
 * Replaces `@nestjs/throttler` in tests. The package is CommonJS and requires Nest, which consists of ES modules; jest
 * supports this only after Nest has been loaded, so Nest is imported first.
 */
import '@nestjs/common';
import '@nestjs/core';

const { default: throttler } = await import('../../node_modules/@nestjs/throttler/dist/index.js');
export const { InjectThrottlerOptions, InjectThrottlerStorage, normalizeIp, ThrottlerGuard, ThrottlerModule } =
  throttler;
