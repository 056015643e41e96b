import { Module } from '@nestjs/common';
import { LimitsModule } from '../limits/index.js';
import { CspReports } from './csp-reports.js';

/** Counts the violations of content security policies that browsers report. */
@Module({ imports: [LimitsModule], providers: [CspReports] })
export class DashboardModule {}
