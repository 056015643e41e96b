/** The steps of a conversation as a tree. Only visible steps are rendered; one step can be selected by keyboard or pointer. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactNode, type RefObject } from 'react';
import type { ListedEvent } from '../events/use-events.ts';
import { clock, duration, exactTime, money } from '../parts/format.ts';
import { OutcomeBadge, outcomeOf, strongestFirst } from '../parts/outcome.tsx';
import { PlacedRows, useMoreAtEnd } from '../parts/placed-rows.tsx';
import { visible } from '../parts/text.tsx';
import { isOfBudget } from '../events/reasons.ts';
import { usePageKeys } from '../shell/keys.ts';
import { pauseWords } from './step-pauses.ts';
import { stepsOf, type Step } from './session-tree.ts';

interface TimelineProps {
  readonly events: readonly ListedEvent[];
  /** Names of tools by the id of their call. */
  readonly tools: ReadonlyMap<string, string>;
  readonly chosen: string | undefined;
  readonly choose: (event: ListedEvent) => void;
  readonly open: (event: ListedEvent) => void;
  readonly hasMore: boolean;
  readonly more: () => void;
}

const STEP_PX = 52;
const PAUSE_PX = 24;
/** The maximum indentation: steps further to the right would be unreadable. */
const DEEPEST = 6;

export function Timeline({ events, tools, chosen, choose, open, hasMore, more }: TimelineProps): ReactNode {
  const box = useRef<HTMLDivElement>(null);
  const { steps, folded, setFold } = useFolding(events);
  const at = steps.findIndex(({ event }) => event.id === chosen);
  const virtual = useVisibleSteps(box, steps);
  const items = virtual.getVirtualItems();
  useMoreAtEnd(hasMore && (items.at(-1)?.index ?? 0) >= steps.length - 20, more);
  const go = (step: number): void => {
    const next = Math.min(Math.max(0, at + step), steps.length - 1);
    const event = steps[next]?.event;
    if (event === undefined) return;
    virtual.scrollToIndex(next);
    choose(event);
  };
  const press = (event: KeyboardEvent): void => {
    const act = { ArrowDown: () => go(1), ArrowUp: () => go(-1), Enter: () => at >= 0 && open(steps[at]!.event) }[
      event.key
    ];
    if (act === undefined) return;
    event.preventDefault();
    act();
  };
  usePageKeys({
    j: () => go(1),
    k: () => go(-1),
    ArrowLeft: () => setFold(steps[at], true),
    ArrowRight: () => setFold(steps[at], false),
  });
  const isDrawn = items.some(({ index }) => index === at);
  return (
    <div
      ref={box}
      className="timeline"
      role="tree"
      aria-label="Steps of the session"
      tabIndex={0}
      aria-activedescendant={isDrawn ? `step-${at}` : undefined}
      onKeyDown={press}
    >
      <PlacedRows
        heightPx={virtual.getTotalSize()}
        items={items}
        count={steps.length}
        row={(index) => (
          <StepRow
            step={steps[index]!}
            index={index}
            of={hasMore ? -1 : steps.length}
            tool={tools.get(steps[index]!.event.id)}
            pause={pauseBefore(steps, index)}
            isChosen={index === at}
            isFolded={folded.has(steps[index]!.event.id)}
            choose={choose}
          />
        )}
      />
    </div>
  );
}

/** The visible steps of the tree: those within a folded step are not. */
function useFolding(events: readonly ListedEvent[]) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const steps = useMemo(() => stepsOf(events, folded), [events, folded]);
  const setFold = (step: Step | undefined, isFolded: boolean): void => {
    if (step === undefined || !step.hasInner) return;
    setFolded((before) =>
      isFolded ? new Set(before).add(step.event.id) : new Set([...before].filter((id) => id !== step.event.id)),
    );
  };
  return { steps, folded, setFold };
}

/** The rendered steps: those in view, and those near it. */
function useVisibleSteps(box: RefObject<HTMLDivElement | null>, steps: readonly Step[]) {
  const virtual = useVirtualizer({
    count: steps.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => STEP_PX + (pauseBefore(steps, index) === undefined ? 0 : PAUSE_PX),
    overscan: 12,
    getItemKey: (index) => steps[index]?.event.id ?? index,
  });
  useEffect(() => virtual.measure(), [steps, virtual]);
  return virtual;
}

/** The pause before a step in words; undefined if it is at most a minute. */
function pauseBefore(steps: readonly Step[], index: number): string | undefined {
  const [before, step] = [steps[index - 1], steps[index]];
  if (before === undefined || step === undefined) return undefined;
  return pauseWords(Date.parse(step.event.received_at) - Date.parse(before.event.received_at));
}

interface StepRowProps {
  readonly step: Step;
  readonly index: number;
  readonly of: number;
  readonly tool: string | undefined;
  readonly pause: string | undefined;
  readonly isChosen: boolean;
  readonly isFolded: boolean;
  readonly choose: (event: ListedEvent) => void;
}

function StepRow({ step, index, of, tool, pause, isChosen, isFolded, choose }: StepRowProps): ReactNode {
  const { event, depth, hasInner } = step;
  const rule = strongestFirst(event.violations)[0]?.rule;
  return (
    <>
      {pause !== undefined && <p className="meta pause">{pause}</p>}
      <div
        id={`step-${index}`}
        role="treeitem"
        aria-level={depth + 1}
        aria-setsize={of}
        aria-posinset={index + 1}
        aria-selected={isChosen}
        {...(hasInner ? { 'aria-expanded': !isFolded } : {})}
        className={`timeline-step depth-${Math.min(depth, DEEPEST)}${isChosen ? ' at' : ''}`}
        onClick={() => choose(event)}
      >
        <time className="meta tab-nums" dateTime={event.received_at} title={exactTime(event.received_at)}>
          {clock(event.received_at)}
        </time>
        <span className="cut">
          {depth > 0 && <span aria-hidden="true">└ </span>}
          <bdi>{wordsOf(event, tool)}</bdi>
          {hasInner && isFolded && <span className="dim"> …</span>}
        </span>
        <OutcomeBadge outcome={outcomeOf(event)} />
        <code className="mono cut dim">
          {[...(isOfBudget(event) ? ['budget'] : []), ...(rule === undefined ? [] : [visible(rule)])].join(', ')}
        </code>
        <span className="meta num">
          {event.latency_ms.total === null ? '' : `${duration(event.latency_ms.total)} `}
          {event.cost_nano_usd === null && event.usage === null ? '' : money(event.cost_nano_usd, 5)}
        </span>
      </div>
    </>
  );
}

function wordsOf({ type, model }: ListedEvent, tool: string | undefined): string {
  if (type === 'agent.tool_call') return `${tool === undefined ? 'tool' : visible(tool)}(…)`;
  return type === 'ai.request' ? `User → ${model === null ? 'model' : visible(model)}` : type;
}
