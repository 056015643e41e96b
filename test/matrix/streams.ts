/** Answers as event streams of the providers, in small pieces. */

type Json = Record<string, unknown>;

const frame = (data: object, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

/** Splits a text at arbitrary places, also inside words and surrogate pairs. */
function pieces(text: string, length = 5): string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, index) =>
    text.slice(index * length, (index + 1) * length),
  );
}

/** https://platform.openai.com/docs/api-reference/chat-streaming */
export function chatStream({ id, model, created, choices }: Json): string {
  const frames: string[] = [];
  const send = (index: unknown, delta: object, finish: string | null = null): void => {
    const choice = { index, delta, logprobs: null, finish_reason: finish };
    frames.push(frame({ id, object: 'chat.completion.chunk', created, model, choices: [choice] }));
  };
  for (const { index, message } of choices as { index: number; message: Json }[]) {
    const { content, refusal, reasoning_content, tool_calls, audio, role, ...others } = message;
    send(index, { role, content: '' });
    for (const piece of pieces(String(reasoning_content))) send(index, { reasoning_content: piece });
    for (const piece of pieces(String(content))) send(index, { content: piece });
    for (const piece of pieces(String(refusal))) send(index, { refusal: piece });
    for (const piece of pieces(String((audio as Json)['transcript']))) send(index, { audio: { transcript: piece } });
    (tool_calls as { id: string; type: string; function: { name: string; arguments: string } }[]).forEach(
      ({ id: callId, type, function: called }, at) => {
        send(index, { tool_calls: [{ index: at, id: callId, type, function: { name: called.name, arguments: '' } }] });
        for (const piece of pieces(called.arguments)) {
          send(index, { tool_calls: [{ index: at, function: { arguments: piece } }] });
        }
      },
    );
    send(index, others);
    send(index, {}, 'stop');
  }
  return `${frames.join('')}data: [DONE]\n\n`;
}

/** https://platform.openai.com/docs/api-reference/completions */
export function completionStream({ choices, ...rest }: Json): string {
  const frames = (choices as Json[]).flatMap((choice, index) =>
    [...pieces(String(choice['text'])), ''].map((text, at, all) => {
      const finish_reason = at === all.length - 1 ? choice['finish_reason'] : null;
      return frame({ ...rest, choices: [{ ...choice, index, text, finish_reason }] });
    }),
  );
  return `${frames.join('')}data: [DONE]\n\n`;
}

/** https://docs.anthropic.com/en/docs/build-with-claude/streaming */
export function messagesStream({ content, stop_reason, stop_sequence, usage, ...rest }: Json): string {
  const frames = [frame({ type: 'message_start', message: { ...rest, content: [], usage } }, 'message_start')];
  (content as Json[]).forEach((block, index) => {
    const send = (type: string, more: object = {}): void => void frames.push(frame({ type, index, ...more }, type));
    const start = {
      ...block,
      ...('text' in block ? { text: '' } : {}),
      ...('thinking' in block ? { thinking: '', signature: '' } : {}),
      ...('input' in block ? { input: {} } : {}),
    };
    send('content_block_start', { content_block: start });
    const delta = (fields: object): void => send('content_block_delta', { delta: fields });
    for (const text of pieces(String(block['text'] ?? ''))) delta({ type: 'text_delta', text });
    for (const thinking of pieces(String(block['thinking'] ?? ''))) delta({ type: 'thinking_delta', thinking });
    if ('signature' in block) delta({ type: 'signature_delta', signature: block['signature'] });
    for (const partial_json of pieces('input' in block ? JSON.stringify(block['input']) : '')) {
      delta({ type: 'input_json_delta', partial_json });
    }
    send('content_block_stop');
  });
  frames.push(frame({ type: 'message_delta', delta: { stop_reason, stop_sequence }, usage }, 'message_delta'));
  return `${frames.join('')}${frame({ type: 'message_stop' }, 'message_stop')}`;
}

/** https://platform.openai.com/docs/api-reference/responses-streaming */
export function responsesStream(response: Json): string {
  const frames: string[] = [];
  const send = (type: string, more: object): void => void frames.push(frame({ type, ...more }, type));
  send('response.created', { response: { id: response['id'], object: 'response', status: 'in_progress', output: [] } });
  (response['output'] as Json[]).forEach((item, output_index) => {
    const place = { item_id: item['id'], output_index };
    if (item['type'] === 'function_call') {
      send('response.output_item.added', { output_index, item: { ...item, arguments: '' } });
      for (const delta of pieces(String(item['arguments'])))
        send('response.function_call_arguments.delta', { ...place, delta });
      send('response.function_call_arguments.done', { ...place, arguments: item['arguments'] });
    } else {
      ((item['content'] ?? []) as Json[]).forEach((part, content_index) => {
        const [kind, key] =
          part['type'] === 'refusal'
            ? ['refusal', 'refusal']
            : part['type'] === 'reasoning_text'
              ? ['reasoning_text', 'text']
              : ['output_text', 'text'];
        for (const delta of pieces(String(part[key])))
          send(`response.${kind}.delta`, { ...place, content_index, delta });
        send(`response.${kind}.done`, { ...place, content_index, [key]: part[key] });
      });
    }
    send('response.output_item.done', { output_index, item });
  });
  send('response.completed', { response });
  return frames.join('');
}
