import { words } from '#words/analytics.js';
import { BarChart } from '../charts/BarChart.js';
import { showDuration } from '../lib/format.js';
import { showShare } from './show.js';

interface Props {
  /** How many plays watched each hundredth. */
  readonly counts: readonly number[];
  readonly plays: number;
  /** Null if it is not known: then the axis has shares of the video. */
  readonly durationSeconds: number | null;
  readonly heightPx?: number;
}

/** The share of plays that watched each hundredth of the video. */
export function RetentionChart({ counts, plays, durationSeconds, heightPx = 180 }: Props) {
  const at = (index: number): string =>
    durationSeconds === null
      ? showShare(index, counts.length)
      : showDuration((index / counts.length) * durationSeconds);
  return (
    <BarChart
      label={words.retention.chart}
      unit={words.retention.at}
      series={[{ label: words.retention.plays, tone: 'stream' }]}
      bars={counts.map((count, index) => ({
        key: String(index),
        label: at(index),
        axis: at(index),
        // A view may report what it watched and lose the report of its first frame.
        parts: [{ value: Math.min(100, (count / plays) * 100), text: showShare(Math.min(count, plays), plays) }],
      }))}
      tick={(percent) => showShare(percent, 100)}
      heightPx={heightPx}
      isCurve
    />
  );
}
