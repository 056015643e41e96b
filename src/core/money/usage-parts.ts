import type { Usage } from '../model/call.js';

/**
 * The tokens of a call in disjoint parts, so that each has one price: whole numbers, never negative. Their sum is the total of input and
 * output.
 */
export interface UsageParts {
  readonly inputUncached: number;
  readonly cacheRead: number;
  /** Written to a cache that lasts five minutes, or for a time that was not told. */
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  /** Sound that no cache had. */
  readonly audioInput: number;
  /** Without reasoning and audio. */
  readonly output: number;
  readonly reasoning: number;
  readonly audioOutput: number;
}

/**
 * Takes a provider's counts apart. `promptTokens` holds what came from and went into caches (`readUsage` adds it where a
 * provider leaves it out). Reasoning is part of the output, except where it is more than all output: some providers count
 * it beside the output.
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

/** What a budget of tokens counts: all that was read and written. */
export function tokensOf(parts: UsageParts): number {
  return inputTokensOf(parts) + parts.output + parts.reasoning + parts.audioOutput;
}
