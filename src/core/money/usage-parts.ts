import type { Usage } from '../model/call.js';

/**
 * The tokens of a call in disjoint parts, so that each has one price: whole numbers, never negative. Their sum is the total of input and
 * output.
 */
export interface UsageParts {
  readonly inputUncached: number;
  readonly cacheRead: number;
  /** Written to a cache that lasts five minutes, or for a time that was not reported. */
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  /** Uncached audio. */
  readonly audioInput: number;
  /** Without reasoning and audio. */
  readonly output: number;
  readonly reasoning: number;
  readonly audioOutput: number;
}

/**
 * Splits a provider's counts into disjoint parts. `promptTokens` includes tokens read from and written to caches (`readUsage` adds them
 * for providers that exclude them). Reasoning is part of the output, unless it exceeds the output: some providers count it separately.
 */
export function usageParts(usage: Usage): UsageParts {
  const { promptTokens = 0, completionTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const reasoning = usage.reasoningTokens ?? 0;
  const cacheWrite1h = Math.min(usage.cacheWrite1hTokens ?? 0, cacheWriteTokens);
  const uncached = Math.max(0, promptTokens - cacheReadTokens - cacheWriteTokens);
  const audioInput = Math.min(usage.other?.audioInputTokens ?? 0, uncached);
  const written = reasoning > completionTokens ? completionTokens : completionTokens - reasoning;
  const audioOutput = Math.min(usage.other?.audioOutputTokens ?? 0, written);
  return {
    inputUncached: uncached - audioInput,
    cacheRead: cacheReadTokens,
    cacheWrite5m: cacheWriteTokens - cacheWrite1h,
    cacheWrite1h,
    audioInput,
    output: written - audioOutput,
    reasoning,
    audioOutput,
  };
}

/** All input tokens, cached or not. */
export function inputTokensOf(parts: UsageParts): number {
  return parts.inputUncached + parts.cacheRead + parts.cacheWrite5m + parts.cacheWrite1h + parts.audioInput;
}

/** The amount that counts for a budget in tokens: all input and output tokens. */
export function tokensOf(parts: UsageParts): number {
  return inputTokensOf(parts) + parts.output + parts.reasoning + parts.audioOutput;
}
