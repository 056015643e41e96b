import { Module, type DynamicModule } from '@nestjs/common';
import { SupervisorLine } from './supervisor-line.js';

/** Provides the connection to the supervisor, if there is one. */
@Module({})
export class ProcessesModule {
  static forRoot(line: SupervisorLine | null): DynamicModule {
    return {
      module: ProcessesModule,
      global: true,
      providers: [{ provide: SupervisorLine, useValue: line }],
      exports: [SupervisorLine],
    };
  }
}
