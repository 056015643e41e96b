import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ApiDocument } from './api-docs/openapi.js';
import { ApiDocsController } from './api-docs/api-docs.controller.js';
import { ErrorFilter } from './error.filter.js';
import { LOGGER, type Logger } from './logger.js';

/** The error filter for every route, the logger for every feature, and the description of the API. */
@Module({})
export class HttpModule {
  static forRoot(logger: Logger): DynamicModule {
    return {
      module: HttpModule,
      global: true,
      controllers: [ApiDocsController],
      providers: [ApiDocument, { provide: LOGGER, useValue: logger }, { provide: APP_FILTER, useClass: ErrorFilter }],
      exports: [LOGGER, ApiDocument],
    };
  }
}
