import classes from './BarChart.module.css';
import type { Bar, Series, Tone } from './chartTypes.js';

/** The drawing area in pixels, and the values of its edges. */
export interface Plot {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly top: number;
  /** 0, or less if a bar is. */
  readonly bottom: number;
}

const WIDEST_PX = 36;
const ROUND_PX = 3;

interface Props {
  readonly plot: Plot;
  readonly bars: readonly Bar[];
  readonly series: readonly Series[];
  readonly ticks: readonly number[];
  readonly pointed: number | undefined;
  /** Draws the first series as a curve with its area, instead of bars. */
  readonly isCurve: boolean;
}

/** The drawing: lines behind, bars or a curve, marks. */
export function Bars({ plot, bars, series, ticks, pointed, isCurve }: Props) {
  const { widthPx, heightPx } = plot;
  const slotPx = widthPx / Math.max(1, bars.length);
  // Whole pixels if they fit: the blurred edges of ninety bars would look like a grey cloud.
  const thickPx = slotPx < 4 ? slotPx * 0.8 : Math.min(WIDEST_PX, Math.floor(slotPx * 0.72));
  const yOf = (value: number): number => yIn(plot, value);

  return (
    <svg width={widthPx} height={heightPx} aria-hidden="true" focusable="false" className={classes['svg']}>
      {ticks.map((value) => (
        <line key={value} x1={0} x2={widthPx} y1={edge(yOf(value), heightPx)} y2={edge(yOf(value), heightPx)} />
      ))}
      {pointed === undefined ? null : (
        <rect className={classes['pointed']} x={pointed * slotPx} y={0} width={slotPx} height={heightPx} />
      )}
      {isCurve && bars.length > 0 ? <Curve plot={plot} bars={bars} tone={series[0]?.tone} /> : null}
      {(isCurve ? [] : bars).map((bar, index) => {
        const x = index * slotPx + (slotPx - thickPx) / 2;
        return (
          <g key={bar.key}>
            {stack(bar).map(({ from, to, at, isTop }) => (
              <path
                key={at}
                data-tone={series[at]?.tone}
                d={column(
                  x,
                  Math.max(yOf(from), yOf(to)),
                  thickPx,
                  Math.max(to === from ? 0 : 1, Math.abs(yOf(from) - yOf(to))),
                  isTop,
                )}
              />
            ))}
            {bar.mark ? (
              <line
                className={classes['mark']}
                x1={index * slotPx}
                x2={(index + 1) * slotPx}
                y1={edge(yOf(bar.mark.value), heightPx)}
                y2={edge(yOf(bar.mark.value), heightPx)}
              />
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}

/** A line from edge to edge of the drawing, through the middle of each bar's place. */
function Curve({ plot, bars, tone }: Pick<Props, 'plot' | 'bars'> & { tone?: Tone | undefined }) {
  const { widthPx } = plot;
  const heights = bars.map(({ parts }) => yIn(plot, parts[0]?.value ?? 0));
  const points = heights.map((y, index) => `${((index + 0.5) / bars.length) * widthPx} ${y}`);
  const line = [`0 ${heights[0]}`, ...points, `${widthPx} ${heights.at(-1)}`].join('L');
  return (
    <>
      <path data-tone={tone} className={classes['area']} d={`M0 ${yIn(plot, 0)}L${line}L${widthPx} ${yIn(plot, 0)}z`} />
      <path data-tone={tone} className={classes['curve']} d={`M${line}`} />
    </>
  );
}

function yIn({ heightPx, top, bottom }: Plot, value: number): number {
  return heightPx - ((value - bottom) / (top - bottom)) * heightPx;
}

/** Centers a one-pixel line on a pixel, inside the drawing. */
function edge(y: number, heightPx: number): number {
  return Math.min(Math.max(Math.round(y), 1), heightPx) - 0.5;
}

function stack({ parts }: Bar): { from: number; to: number; at: number; isTop: boolean }[] {
  let from = 0;
  const highest = parts.findLastIndex(({ value }) => value > 0);
  return parts.map(({ value }, at) => {
    const piece = { from, to: from + value, at, isTop: at === highest };
    from += value;
    return piece;
  });
}

/** A rectangle on `y`, with a rounded top if nothing is stacked on it. */
function column(x: number, y: number, width: number, height: number, isRound: boolean): string {
  const r = isRound ? Math.min(ROUND_PX, width / 2, height) : 0;
  const head = `v${-(height - r)}a${r} ${r} 0 0 1 ${r} ${-r}h${width - 2 * r}a${r} ${r} 0 0 1 ${r} ${r}v${height - r}`;
  return `M${x} ${y}${head}z`;
}
