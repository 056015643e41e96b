import { Global, Module } from '@nestjs/common';
import { APP_CONFIG, type AppConfig } from './config/index.js';
import { ADMISSION_STEPS, type AdmissionSteps } from './events/index.js';
import { AdmissionLimit, LimitsModule } from './limits/index.js';
import { StandingStep, SubscriptionModule } from './subscription/index.js';

/** The one place that says what is asked before a call is judged and stored, in which order. */
@Global()
@Module({
  imports: [LimitsModule, SubscriptionModule],
  providers: [
    {
      provide: ADMISSION_STEPS,
      inject: [APP_CONFIG, AdmissionLimit, StandingStep],
      useFactory: ({ billing }: AppConfig, limit: AdmissionLimit, standing: StandingStep): AdmissionSteps => ({
        limits: [limit],
        standing: billing.enabled ? [standing] : [],
      }),
    },
  ],
  exports: [ADMISSION_STEPS, LimitsModule],
})
export class AdmissionModule {}
