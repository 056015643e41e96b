import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { DatabaseModule } from '../database/index.js';
import { DocumentsModule } from '../documents/index.js';
import { EventsModule } from '../events/index.js';
import { JudgementModule } from '../judgement/index.js';
import { AnswerJudge } from './answer-judge.js';
import { CallRecords } from './call-record.js';
import { CallIntake } from './call-intake.js';
import { CallEntrance } from './call-entrance.js';
import { CallPipeline } from './call-pipeline.js';
import { CallSessions } from './call-sessions.js';
import { CallReplays } from './call-replays.js';
import { FailureRecorder } from './failure-recorder.js';
import { RequestJudge } from './request-judge.js';

const STEPS = [
  CallEntrance,
  CallReplays,
  CallSessions,
  CallPipeline,
  CallIntake,
  RequestJudge,
  AnswerJudge,
  FailureRecorder,
  CallRecords,
];

/** The steps of a call, for all entry points. */
@Module({
  imports: [AccessModule, DatabaseModule, JudgementModule, DocumentsModule, EventsModule],
  providers: STEPS,
  exports: STEPS,
})
export class CallsModule {}
