/**
 * Traces by OpenTelemetry. Nothing is traced before `useTracing`: then `span` is a call of its work, and nothing else.
 */
import {
  context,
  type Context,
  type Link,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';

export { SpanKind, type Span } from '@opentelemetry/api';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
}

export interface Tracing {
  readonly tracer: Tracer;
  /** Whether the trace of this id is kept. The same in every process. */
  readonly keeps: (traceId: string) => boolean;
  /** Starts a span with ids of our choice. */
  readonly startAs: (ids: { traceId: string; spanId: string }, start: () => Span) => Span;
}

let tracing: Tracing | null = null;

/** From now on, spans go there. `null` switches them off. */
export function useTracing(given: Tracing | null): void {
  tracing = given;
}

/** Of the current span, for log lines. */
export function traceIds(): { trace_id?: string; span_id?: string } {
  const current = tracing && trace.getSpanContext(context.active());
  return current ? { trace_id: current.traceId, span_id: current.spanId } : {};
}

/** Runs the work in a span below the current one. Without a current one, it begins a trace. */
export function span<T>(name: string, options: SpanOptions, work: () => T): T {
  if (tracing === null) return work();
  return within(tracing.tracer.startSpan(name, options), context.active(), work);
}

/** Whether what runs now is part of a trace. */
export function isTraced(): boolean {
  return tracing !== null && trace.getSpanContext(context.active()) !== undefined;
}

/** Runs the work in a span if something is being traced: polling alone makes no traces. */
export function childSpan<T>(name: string, options: SpanOptions, work: () => T): T {
  return isTraced() ? span(name, options, work) : work();
}

/** `traceparent` of the caller, https://www.w3.org/TR/trace-context/ */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Handles a request in its own trace, which {@link requestEnd} ends. The caller's own trace becomes a link: a stranger
 * must not decide what we keep.
 */
export function inRequest<T>(traceparent: string | undefined, work: () => T): T {
  if (tracing === null) return work();
  const [, traceId, spanId] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  const links: Link[] =
    traceId && spanId ? [{ context: { traceId, spanId, traceFlags: TraceFlags.NONE, isRemote: true } }] : [];
  const started = tracing.tracer.startSpan('request', { kind: SpanKind.SERVER, links, root: true });
  return context.with(trace.setSpan(context.active(), started), work);
}

/**
 * Returns what ends the span of this request, and calls its argument within it. Null if it is not traced. Events of a
 * connection come from outside the request, so this is asked for at its start.
 */
export function requestEnd():
  | ((name: string, attributes: Attributes, isFault: boolean, log: () => void) => void)
  | null {
  const inside = context.active();
  const current = tracing && trace.getSpan(inside);
  if (!current) return null;
  return (name, attributes, isFault, log) => {
    current.updateName(name).setAttributes(attributes);
    if (isFault) current.setStatus({ code: SpanStatusCode.ERROR });
    context.with(inside, log);
    current.end();
  };
}

/** Adds to the current span. */
export function annotate(attributes: Attributes): void {
  if (tracing !== null) trace.getActiveSpan()?.setAttributes(attributes);
}

/**
 * Runs the work in a span of the video's own trace, from its upload until it is ready. The id of this trace is the
 * video's UUID, so that any process can add to it without being told, also after a crash.
 *
 * @param isRoot for the span that creates the video
 */
export function videoSpan<T>(
  videoId: string,
  name: string,
  options: SpanOptions & { isRoot?: boolean },
  work: () => T,
): T {
  if (tracing === null) return work();
  const traceId = videoId.replaceAll('-', '').toLowerCase();
  const spanId = traceId.slice(16);
  const { isRoot = false, ...rest } = options;
  const { tracer } = tracing;
  const active = context.active();
  const from = trace.getSpanContext(active);
  const links = from && from.traceId !== traceId ? [{ context: from }] : [];
  const attributes = { 'dhara.video.id': videoId, ...options.attributes };
  if (from?.traceId === traceId) return within(tracer.startSpan(name, { ...rest, attributes }), active, work);
  if (!tracing.keeps(traceId)) return work();
  const started = isRoot
    ? tracing.startAs({ traceId, spanId }, () => tracer.startSpan(name, { ...rest, attributes, links, root: true }))
    : tracer.startSpan(
        name,
        { ...rest, attributes, links },
        trace.setSpanContext(active, { traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true }),
      );
  // From the request, the video's trace is one click away.
  trace.getSpan(active)?.addLink({ context: started.spanContext() });
  return within(started, active, work);
}

function within<T>(started: Span, parent: Context, work: () => T): T {
  let result: T;
  try {
    result = context.with(trace.setSpan(parent, started), work);
  } catch (error) {
    fail(started, error);
    throw error;
  }
  if (!(result instanceof Promise)) {
    started.end();
    return result;
  }
  return result.then(
    (value: unknown) => {
      started.end();
      return value;
    },
    (error: unknown) => {
      fail(started, error);
      throw error;
    },
  ) as T;
}

/** Messages may quote what a person entered, so a span has the error's kind alone. */
function fail(started: Span, error: unknown): void {
  const type = kindOf(error);
  started.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR, message: type }).end();
}

function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** Every asynchronous method of these services becomes a span, named `Service.method`. */
export function traceServices(services: Readonly<Record<string, unknown>>): void {
  if (tracing === null) return;
  for (const service of new Set(Object.values(services))) {
    if (typeof service !== 'object' || service === null) continue;
    const prototype = Object.getPrototypeOf(service) as object;
    const kind = service.constructor.name;
    if (!kind.endsWith('Service')) continue;
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      if (name === 'constructor' || typeof value !== 'function') continue;
      const method = value as (...given: unknown[]) => unknown;
      Object.defineProperty(service, name, {
        configurable: true,
        value: (...given: unknown[]) => childSpan(`${kind}.${name}`, {}, () => method.apply(service, given)),
      });
    }
  }
}
