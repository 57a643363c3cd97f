import type { Config } from '../config/config.js';
import type { Logger } from '../logger.js';
import { useTracing } from '../tracing.js';
import type { End, Role } from './options.js';

/** Traces from now on, if a collector is set. Returns what sends the last spans. Without one, nothing is even loaded. */
export async function startTraces(role: Role, config: Config, logger: Logger): Promise<End> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = config;
  if (endpoint === undefined) return async () => undefined;
  const { OtlpTraces } = await import('../adapters/telemetry/otlpTraces.js');
  const traces = new OtlpTraces({
    endpoint,
    role,
    serviceName: config.OTEL_SERVICE_NAME,
    keptShare: config.OTEL_TRACES_SAMPLER_ARG,
    logger,
  });
  useTracing(traces);
  return async () => {
    useTracing(null);
    await traces.close();
  };
}
