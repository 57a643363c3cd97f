import { words } from '#words/parts.js';
import type { Bar, Series } from './chartTypes.js';

interface Props {
  readonly label: string;
  readonly unit: string;
  readonly bars: readonly Bar[];
  readonly series: readonly Series[];
  readonly markLabel: string | undefined;
  readonly totalLabel: string | undefined;
}

/** The numbers of a chart for people who cannot see it. */
export function ChartTable({ label, unit, bars, series, markLabel, totalLabel }: Props) {
  const hasTotal = bars.some(({ total }) => total !== undefined);
  return (
    <div className="visually-hidden">
      <table>
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">{unit}</th>
            {series.map((one) => (
              <th key={one.label} scope="col">
                {one.label}
              </th>
            ))}
            {hasTotal ? <th scope="col">{totalLabel ?? words.chartTable.together}</th> : null}
            {markLabel ? <th scope="col">{markLabel}</th> : null}
          </tr>
        </thead>
        <tbody>
          {bars.map((bar) => (
            <tr key={bar.key}>
              <th scope="row">{bar.label}</th>
              {series.map((one, index) => (
                <td key={one.label}>{bar.parts[index]?.text ?? '–'}</td>
              ))}
              {hasTotal ? <td>{bar.total ?? '–'}</td> : null}
              {markLabel ? <td>{bar.mark?.text ?? '–'}</td> : null}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
