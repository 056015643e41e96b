/** The end mark of streams of chat completions and completions. */
export const END_MARK = '[DONE]';
