import { words } from '#words/supportTotals.js';
import { useQuery } from '@apollo/client/react';
import { Button, NativeSelect, SegmentedControl, Skeleton, Stack, Title } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { BarChart } from '../../charts/BarChart.js';
import { StaffTotalsDocument } from '../../generated/graphql.js';
import { downloadText } from '../../lib/downloadText.js';
import { showAge } from '../../lib/format.js';
import { axisDay, lastDays, nameDay } from '../../lib/utcDays.js';
import { Icon } from '../../parts/Icon.js';
import { PageHead } from '../../parts/PageHead.js';
import { EmptyState, ErrorState } from '../../parts/States.js';
import console from '../parts/console.module.css';
import { csvOf, FIGURES, type FigureName, type TotalsDay } from './figures.js';
import classes from './Totals.module.css';

const PERIODS = [30, 90, 400] as const;
const POLL_MS = 60_000;
const LEAST_BARS = 30;

/** What the whole platform did on each of the last days. Period and number are in the address. */
export default function TotalsPage() {
  const [parameters, setParameters] = useSearchParams();
  const days = PERIODS.find((choice) => String(choice) === parameters.get('days')) ?? PERIODS[0];
  const { data, error, refetch } = useQuery(StaffTotalsDocument, {
    variables: { days },
    pollInterval: POLL_MS,
    skipPollAttempt: () => document.hidden,
  });
  const totals = data?.platformTotals;
  const figure = FIGURES.find(({ name }) => name === parameters.get('number')) ?? FIGURES[1]!;

  function show(next: { days?: number; number?: FigureName }): void {
    setParameters({ days: String(next.days ?? days), number: next.number ?? figure.name }, { replace: true });
  }

  return (
    <>
      <PageHead title={words.title} note={<Note totals={totals} />}>
        <Button
          size="xs"
          variant="default"
          leftSection={<Icon name="download" size={15} />}
          disabled={!totals || totals.length === 0}
          onClick={() => totals && downloadText(`totals-${totals.at(-1)?.day}.csv`, csvOf(totals), 'text/csv')}
        >
          {words.downloadCsv}
        </Button>
      </PageHead>
      <Stack gap="lg">
        <SegmentedControl
          aria-label={words.period}
          className={classes['period'] ?? ''}
          data={PERIODS.map((choice) => ({ value: String(choice), label: words.days(choice) }))}
          value={String(days)}
          onChange={(value) => show({ days: Number(value) })}
        />
        {!totals && error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
        {!totals && !error ? (
          <Stack role="status" aria-busy="true" aria-label={words.loading}>
            <Skeleton height={280} radius="lg" />
            <Skeleton height={360} radius="lg" />
          </Stack>
        ) : null}
        {totals?.length === 0 ? (
          <section className="panel">
            <EmptyState icon="analytics" title={words.none} advice={words.noneAdvice} />
          </section>
        ) : null}
        {totals && totals.length > 0 ? (
          <>
            <Chart totals={totals} days={days} figure={figure} onChoose={(number) => show({ number })} />
            <Table totals={totals} chosen={figure.name} onChoose={(number) => show({ number })} />
          </>
        ) : null}
      </Stack>
    </>
  );
}

function Note({ totals }: { totals: readonly TotalsDay[] | undefined }) {
  const last = totals?.at(-1);
  return (
    <>
      {words.note} {last ? words.measured(showAge(last.measuredAt)) : null}
    </>
  );
}

interface ChartProps {
  readonly totals: readonly TotalsDay[];
  readonly days: number;
  readonly figure: (typeof FIGURES)[number];
  readonly onChoose: (name: FigureName) => void;
}

function Chart({ totals, days, figure: { name, isState, height, text, tick }, onChoose }: ChartProps) {
  const label = (isState ? words.atEndOfDay : words.perDay)(words.names[name]);
  const known = new Map(totals.map((day) => [day.day, day]));
  // A new platform also gets narrow bars, instead of one wide bar.
  const shown = lastDays(Math.min(days, Math.max(LEAST_BARS, totals.length)));
  return (
    <section className={`panel ${console['card']}`} aria-labelledby="totals-chart">
      <div className={console['cardHead']}>
        <Title order={2} id="totals-chart">
          {label}
        </Title>
        <NativeSelect
          aria-label={words.number}
          size="xs"
          data={FIGURES.map((one) => ({ value: one.name, label: words.names[one.name] }))}
          value={name}
          onChange={(event) => onChoose(event.currentTarget.value as FigureName)}
        />
      </div>
      <BarChart
        label={label}
        unit={words.day}
        series={[{ label: words.names[name], tone: 'stream' }]}
        tick={tick}
        bars={shown.map((key) => {
          const day = known.get(key);
          const part = { value: (day && height(day)) ?? 0, text: day ? text(day) : words.notMeasured };
          return { key, label: nameDay(key), axis: axisDay(key), parts: [part] };
        })}
      />
    </section>
  );
}

interface TableProps {
  readonly totals: readonly TotalsDay[];
  readonly chosen: FigureName;
  readonly onChoose: (name: FigureName) => void;
}

/**
 * All numbers, newest day first. A click on the head of a column shows its number in the chart. The table is wider than a phone, so
 * it scrolls by itself, with the day always in view.
 */
function Table({ totals, chosen, onChoose }: TableProps) {
  return (
    <section className={`panel ${classes['table']}`} aria-labelledby="totals-table">
      <Title order={2} id="totals-table" className={classes['title'] ?? ''}>
        {words.byDay}
      </Title>
      <div className={classes['scroll']}>
        <table className="num" aria-labelledby="totals-table">
          <thead>
            <tr>
              <th scope="col">{words.day}</th>
              {FIGURES.map(({ name }) => (
                <th key={name} scope="col">
                  <button
                    type="button"
                    title={words.showInChart}
                    aria-pressed={name === chosen}
                    onClick={() => onChoose(name)}
                  >
                    {words.columns[name]}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {totals.toReversed().map((day, nth) => (
              <tr key={day.day}>
                <th scope="row">
                  {axisDay(day.day)} {nth === 0 ? <small>{words.running}</small> : null}
                </th>
                {FIGURES.map(({ name, text }) => (
                  <td key={name}>{text(day)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
