import type { Histogram, Registry } from 'prom-client';

const NAME = 'dhara_http_request_duration_seconds';
const HELP = 'Duration of HTTP requests by route and status';
/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

type Labels = Readonly<Record<'method' | 'route' | 'status', string>>;
type Values = Awaited<ReturnType<Histogram['get']>>;

/** The durations of requests with the same labels. */
export class Series {
  /** One more than there are bounds, for durations above the last. Not cumulative. */
  readonly counts = Array.from({ length: BOUNDS.length + 1 }, () => 0);
  sum = 0;

  constructor(readonly labels: Labels) {}

  observe(seconds: number): void {
    let nth = 0;
    while (nth < BOUNDS.length && seconds > BOUNDS[nth]!) nth += 1;
    this.counts[nth]! += 1;
    this.sum += seconds;
  }
}

/**
 * A histogram that counts a measurement without creating an object. The library's own validates and hashes the labels of
 * each measurement, which costs a busy process as much as finding a playlist.
 */
export class RequestDurations {
  readonly name = NAME;
  private readonly all: Series[] = [];

  register(registry: Registry): void {
    // The registry reads `name` and `get` only.
    registry.registerMetric(this as unknown as Histogram);
  }

  add(labels: Labels): Series {
    const series = new Series(labels);
    this.all.push(series);
    return series;
  }

  /** In the library's format, with cumulative buckets. */
  get(): Promise<Values> {
    const values = this.all.flatMap(({ labels, counts, sum }) => {
      let total = 0;
      const buckets = counts.map((count, nth) => {
        total += count;
        return { labels: { le: BOUNDS[nth] ?? '+Inf', ...labels }, value: total, metricName: `${NAME}_bucket` };
      });
      const ofAll = { sum, count: total };
      const totals = (['sum', 'count'] as const).map((kind) => ({
        labels,
        value: ofAll[kind],
        metricName: `${NAME}_${kind}`,
      }));
      return [...buckets, ...totals];
    });
    return Promise.resolve({
      name: NAME,
      help: HELP,
      type: 'histogram',
      aggregator: 'sum',
      values,
    } as unknown as Values);
  }

  reset(): void {
    for (const series of this.all) {
      series.counts.fill(0);
      series.sum = 0;
    }
  }
}
