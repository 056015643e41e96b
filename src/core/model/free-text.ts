import type { Segment, ToolCall } from './call.js';

/** A tool call with `freeText` if its arguments are not JSON. @param segments the texts of the call that contains it */
export function withFreeText(toolCall: ToolCall, segments: readonly Segment[]): ToolCall {
  if (toolCall.args !== undefined || toolCall.freeText !== undefined) return toolCall;
  const texts = toolCall.segments.flatMap((index) => {
    const segment = segments[index];
    return segment === undefined || segment.key === 'name' || segment.text === '' ? [] : [segment.text];
  });
  return texts.length === 0 ? toolCall : { ...toolCall, freeText: texts.join('\n') };
}
