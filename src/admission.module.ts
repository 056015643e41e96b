import { Global, Module } from '@nestjs/common';
import { ADMISSION_STEPS, type AdmissionSteps } from './events/index.js';
import { AdmissionLimit, LimitsModule } from './limits/index.js';

/** The one place that says what is asked before a call is judged and stored, in which order. */
@Global()
@Module({
  imports: [LimitsModule],
  providers: [
    {
      provide: ADMISSION_STEPS,
      inject: [AdmissionLimit],
      useFactory: (limit: AdmissionLimit): AdmissionSteps => ({ limits: [limit], standing: [] }),
    },
  ],
  exports: [ADMISSION_STEPS],
})
export class AdmissionModule {}
