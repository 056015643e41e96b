/** The ways to compare two facts. */
export const FORMS = {
  ours: '{ tool.args.amount: { gt: { fact: metadata.limit } } }',
  "json-rules-engine's": '{ tool.args.amount: { gt: { fact: metadata, path: $.limit } } }',
};
export const paying = (when: string): string => `  - id: pay.limit
    stage: tool
    when: ${when}
    then: { action: block, reason: tool_use_blocked }
    on_unknown: match
    client_controlled: accepted
    because: The limit comes from our own service
`;
