import { words } from '#words/parts.js';
import { useElementSize } from '@mantine/hooks';
import { useState, type PointerEvent } from 'react';
import { Bars, type Plot } from './Bars.js';
import classes from './BarChart.module.css';
import { ChartTable } from './ChartTable.js';
import type { Bar, Series } from './chartTypes.js';
import { shownLabels, ticksBetween } from './scale.js';

interface Props {
  /** What the chart shows, in a few words: "Credits spent per day". */
  readonly label: string;
  /** The heading of the table's first column: "Day". */
  readonly unit: string;
  readonly bars: readonly Bar[];
  readonly series: readonly Series[];
  /** What the marks are: "Quota". */
  readonly markLabel?: string;
  /** What `total` is. Default "Together". */
  readonly totalLabel?: string;
  /** The label of a height, beside the lines. */
  readonly tick: (value: number) => string;
  readonly heightPx?: number;
  /** For many values of one series that change gradually. */
  readonly isCurve?: boolean;
}

const AXIS_PX = 46;
const LABEL_PX = 54;

/**
 * Stacked bars over time, or a curve. A table repeats the numbers for screen readers, and a tooltip shows those of the bar under
 * the pointer. Without a mouse, an invisible slider selects a bar; browsers and screen readers know how to move it.
 *
 * Without bars it draws only its lines: say why in words beside it.
 */
export function BarChart({
  label,
  unit,
  bars,
  series,
  markLabel,
  totalLabel,
  tick,
  heightPx = 180,
  isCurve = false,
}: Props) {
  const { ref, width } = useElementSize();
  const [pointed, setPointed] = useState<number>();
  const highest = Math.max(0, ...bars.map((bar) => Math.max(sum(bar), bar.mark?.value ?? 0)));
  const isWhole = bars.every((bar) => bar.parts.every(({ value }) => Number.isInteger(value)));
  const ticks = ticksBetween(Math.min(0, ...bars.map(sum)), highest, isWhole);
  const [bottom, top] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const plot: Plot = { widthPx: Math.max(0, width - AXIS_PX), heightPx, top, bottom };
  const slotPx = plot.widthPx / Math.max(1, bars.length);
  // The last label is moved into the chart, towards the one before it.
  const labelled = shownLabels(bars.length, Math.floor((plot.widthPx - LABEL_PX / 2) / LABEL_PX));
  const bar = pointed === undefined ? undefined : bars[pointed];

  function point(event: PointerEvent<HTMLDivElement>): void {
    const { left } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor((event.clientX - left) / slotPx);
    setPointed(index >= 0 && index < bars.length ? index : undefined);
  }

  return (
    <figure className={classes['figure']}>
      {series.length > 1 || markLabel ? <Legend series={series} markLabel={markLabel} /> : null}
      {bars.length > 0 ? (
        <input
          type="range"
          className="visually-hidden"
          aria-label={words.barChart.bar(label)}
          aria-valuetext={spoken(bars[pointed ?? bars.length - 1], series, markLabel)}
          min={0}
          max={bars.length - 1}
          value={pointed ?? bars.length - 1}
          onFocus={() => setPointed(bars.length - 1)}
          onChange={(event) => setPointed(Number(event.currentTarget.value))}
          onBlur={() => setPointed(undefined)}
        />
      ) : null}
      <div ref={ref} className={classes['chart']} role="img" aria-label={words.barChart.numbersTableBelow(label)}>
        <div
          className={classes['plot']}
          style={{ height: heightPx, marginInlineEnd: AXIS_PX }}
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setPointed(undefined)}
        >
          {plot.widthPx > 0 ? (
            <Bars plot={plot} bars={bars} series={series} ticks={ticks} pointed={pointed} isCurve={isCurve} />
          ) : null}
          {ticks.map((value) => (
            <span
              key={value}
              className={`${classes['tick']} num`}
              style={{ bottom: `${((value - bottom) / (top - bottom)) * 100}%`, insetInlineStart: '100%' }}
            >
              {tick(value)}
            </span>
          ))}
          {bar && pointed !== undefined ? (
            <Tip
              bar={bar}
              series={series}
              markLabel={markLabel}
              totalLabel={totalLabel}
              atPx={(pointed + 0.5) * slotPx}
              ofPx={plot.widthPx}
            />
          ) : null}
        </div>
        <div className={`${classes['axis']} num`} style={{ marginInlineEnd: AXIS_PX }}>
          {bars.map(({ key, axis }, index) =>
            labelled.has(index) ? (
              <span key={key} style={{ insetInlineStart: clampPx((index + 0.5) * slotPx, plot.widthPx) }}>
                {axis}
              </span>
            ) : null,
          )}
        </div>
      </div>
      <ChartTable label={label} unit={unit} bars={bars} series={series} markLabel={markLabel} totalLabel={totalLabel} />
    </figure>
  );
}

function sum({ parts }: Bar): number {
  return parts.reduce((total, { value }) => total + value, 0);
}

function spoken(bar: Bar | undefined, series: readonly Series[], markLabel: string | undefined): string {
  if (!bar) return '';
  const { label, parts, mark } = bar;
  const numbers = series.map((one, index) => `${one.label} ${parts[index]?.text ?? '–'}`);
  if (mark && markLabel) numbers.push(`${markLabel} ${mark.text}`);
  return `${label}: ${numbers.join(', ')}`;
}

/** Keeps the outermost labels inside the chart. */
function clampPx(px: number, widthPx: number): number {
  const half = LABEL_PX / 2;
  return Math.min(Math.max(px, half - 8), Math.max(half, widthPx - half + 14));
}

function Legend({ series, markLabel }: { series: readonly Series[]; markLabel: string | undefined }) {
  return (
    <ul className={classes['legend']} aria-hidden="true">
      {series.map(({ label, tone }) => (
        <li key={label}>
          <i data-tone={tone} />
          {label}
        </li>
      ))}
      {markLabel ? (
        <li>
          <i data-mark />
          {markLabel}
        </li>
      ) : null}
    </ul>
  );
}

interface TipProps {
  readonly bar: Bar;
  readonly series: readonly Series[];
  readonly markLabel: string | undefined;
  readonly totalLabel: string | undefined;
  readonly atPx: number;
  readonly ofPx: number;
}

/** The tooltip: the numbers of one bar. */
function Tip({ bar, series, markLabel, totalLabel, atPx, ofPx }: TipProps) {
  const isLate = atPx > ofPx / 2;
  const rows = series
    .map((one, index) => ({ ...one, part: bar.parts[index] }))
    .filter(({ part }) => part && (series.length === 1 || part.value > 0));
  return (
    <div
      className={`${classes['tip']} num`}
      aria-hidden="true"
      style={isLate ? { insetInlineEnd: ofPx - atPx + 10 } : { insetInlineStart: atPx + 10 }}
    >
      <b>{bar.label}</b>
      {rows.map(({ label, tone, part }) => (
        <span key={label}>
          <i data-tone={tone} />
          {label}
          <em>{part?.text}</em>
        </span>
      ))}
      {bar.total !== undefined && (totalLabel || rows.length !== 1) ? (
        <span>
          {totalLabel ?? words.barChart.together}
          <em>{bar.total}</em>
        </span>
      ) : null}
      {bar.mark && markLabel ? (
        <span>
          <i data-mark />
          {markLabel}
          <em>{bar.mark.text}</em>
        </span>
      ) : null}
    </div>
  );
}
