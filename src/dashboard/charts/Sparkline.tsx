import classes from './BarChart.module.css';
import type { Tone } from './chartTypes.js';

interface Props {
  /** What it says, whole: "Storage grew from 1 GB to 3 GB in 30 days". */
  readonly label: string;
  /** Oldest first. */
  readonly values: readonly number[];
  readonly tone?: Tone;
  readonly heightPx?: number;
}

const WIDTH = 100;

/** A line the size of a word, as wide as its place. It shows a direction, not numbers: those belong into its label. */
export function Sparkline({ label, values, tone = 'stream', heightPx = 32 }: Props) {
  const highest = Math.max(...values, 0) || 1;
  const stepX = WIDTH / Math.max(1, values.length - 1);
  const points = values.map((value, index) => `${index * stepX},${heightPx - 2 - (value / highest) * (heightPx - 4)}`);
  if (points.length === 1) points.push(`${WIDTH},${points[0]?.split(',')[1]}`);
  return (
    <svg
      role="img"
      aria-label={label}
      className={classes['spark']}
      data-tone={tone}
      viewBox={`0 0 ${WIDTH} ${heightPx}`}
      preserveAspectRatio="none"
      height={heightPx}
    >
      {points.length === 0 ? null : (
        <>
          <polygon points={`0,${heightPx} ${points.join(' ')} ${WIDTH},${heightPx}`} />
          <polyline points={points.join(' ')} vectorEffect="non-scaling-stroke" />
        </>
      )}
    </svg>
  );
}
