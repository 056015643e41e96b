import type { ToolJudge } from '../../src/authoring/index.js';
import {
  bindDetectors,
  bindStructures,
  compilePolicy,
  type CompiledPolicy,
  type PluginCatalog,
} from '../../src/core/index.js';

/** The policy that judges tool calls if no policy is named. Its rule is the one on the documentation page of the plugin `tool-use`. */
const RULE = `
apiVersion: weir/v1
kind: Policy
metadata: { id: tool-use, title: Tool use, owner: nobody@example.com }
environment: production
default: allow
rules:
  - id: tool.hijacked
    title: No tool call that the user did not ask for
    stage: tool
    severity: high
    when: { all: [{ tool.hijack_score: { gte: 0.6 } }] }
    then: { action: block, reason: tool_use_blocked }
    on_unknown: no_match
`;

/** Prepares the rules of stage `tool` of a policy. Remote detectors are left out: their services are not available here. */
export function toolJudge(policy: CompiledPolicy, catalog: PluginCatalog): ToolJudge {
  return {
    policy,
    detectors: bindDetectors(policy, catalog)
      .filter(({ remote }) => remote === undefined)
      .map(({ binding, scan }) => ({ binding: { ...binding, timeoutMs: Number.POSITIVE_INFINITY }, scan })),
    structures: bindStructures(policy, catalog),
  };
}

/** The policy for tool calls if none is named: a single rule. */
export function defaultToolPolicy(catalog: PluginCatalog): CompiledPolicy | undefined {
  const files = [{ path: 'tool-use.yaml', text: RULE }];
  return compilePolicy({ environment: 'production', files, plugins: catalog }).policy;
}
