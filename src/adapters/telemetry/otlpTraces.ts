import { context, diag, DiagLogLevel, type DiagLogFunction, type DiagLogger, type Span } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';

import type { Logger } from '../../logger.js';
import type { Tracing } from '../../tracing.js';

export interface OtlpTracesOptions {
  /** Of a collector, without the path. The exporter reads `OTEL_EXPORTER_OTLP_HEADERS` by itself. */
  readonly endpoint: string;
  readonly serviceName: string;
  /** `api`, `worker` or `all`. */
  readonly role: string;
  /** Share of traces that are kept, from 0 to 1. */
  readonly keptShare: number;
  readonly logger: Logger;
}

/** Spans that may wait for a collector that is away or slow. Further ones are dropped. */
const MAX_WAITING_SPANS = 4096;
/** A process that stops waits this long for a collector that is away. */
const EXPORT_TIMEOUT_MS = 2000;
/** A collector that is away is mentioned once in this time. */
const COMPLAIN_EVERY_MS = 60_000;

/** Sends spans to a collector, in batches and in the background, by OTLP over HTTP with JSON. */
export class OtlpTraces implements Tracing {
  readonly tracer;
  private readonly ids = new ChosenIds();
  private readonly sampler: TraceIdRatioBasedSampler;
  private readonly provider: TracerProvider;
  private readonly complain: DiagLogFunction;

  constructor({ endpoint, serviceName, role, keptShare, logger }: OtlpTracesOptions) {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const complaints = complaintsTo(logger);
    this.complain = complaints.warn;
    diag.setLogger(complaints, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
    this.sampler = new TraceIdRatioBasedSampler(keptShare);
    const exporter = new OTLPTraceExporter({
      url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
      timeoutMillis: EXPORT_TIMEOUT_MS,
    });
    const batches = { maxQueueSize: MAX_WAITING_SPANS, exportTimeoutMillis: EXPORT_TIMEOUT_MS };
    this.provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': serviceName,
        'dhara.role': role,
      }),
      sampler: new ParentBasedSampler({ root: this.sampler }),
      idGenerator: this.ids,
      spanProcessors: [new BatchSpanProcessor({ exporter, ...batches })],
    });
    this.tracer = this.provider.getTracer('dhara');
  }

  keeps(traceId: string): boolean {
    const { decision } = this.sampler.shouldSample(context.active(), traceId);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  }

  startAs(ids: { traceId: string; spanId: string }, start: () => Span): Span {
    return this.ids.choose(ids, start);
  }

  /** Sends what waits, if the collector takes it. Never throws. */
  async close(): Promise<void> {
    await this.provider.shutdown().catch((error: unknown) => this.complain('could not send the last spans', error));
    context.disable();
    diag.disable();
  }
}

/** Random ids, save for a span whose ids were chosen. Spans start synchronously, so nothing comes between. */
class ChosenIds implements IdGenerator {
  private readonly random = new RandomIdGenerator();
  private chosen: { traceId: string; spanId: string } | null = null;

  generateTraceId(): string {
    return this.chosen?.traceId ?? this.random.generateTraceId();
  }

  generateSpanId(): string {
    return this.chosen?.spanId ?? this.random.generateSpanId();
  }

  choose(ids: { traceId: string; spanId: string }, start: () => Span): Span {
    this.chosen = ids;
    try {
      return start();
    } finally {
      this.chosen = null;
    }
  }
}

/** What the library complains about, such as a collector that cannot be reached. It repeats itself for each batch. */
function complaintsTo(logger: Logger): DiagLogger {
  let saidAtMs = -Infinity;
  const say = (message: string, ...details: unknown[]): void => {
    const nowMs = performance.now();
    if (nowMs - saidAtMs < COMPLAIN_EVERY_MS) return;
    saidAtMs = nowMs;
    logger.warn({ scope: 'traces', details }, message);
  };
  const ignore = (): void => undefined;
  return { error: say, warn: say, info: ignore, debug: ignore, verbose: ignore };
}
