import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ErrorFilter } from './error.filter.js';
import { LOGGER, type Logger } from './logger.js';

/** The error filter for every route, and the logger for every feature. */
@Module({})
export class HttpModule {
  static forRoot(logger: Logger): DynamicModule {
    return {
      module: HttpModule,
      global: true,
      providers: [
        { provide: LOGGER, useValue: logger },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
      exports: [LOGGER],
    };
  }
}
