/** The end mark of streams of chat completions and completions. */
export const END_MARK = '[DONE]';

/** Whether an event's data is the end mark. Clients ignore white space around it. */
export const isEndMark = (data: string): boolean => data.trim() === END_MARK;
