/** What ends a stream of chat completions and completions. */
export const END_MARK = '[DONE]';
