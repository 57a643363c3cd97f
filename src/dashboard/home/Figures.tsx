import { words } from '#words/home.js';
import { useQuery } from '@apollo/client/react';
import { Link } from 'react-router';
import { SpendingDocument, type HomeQuery } from '../generated/graphql.js';
import { microsOf, showCredits, toCredits } from '../lib/credits.js';
import { showNumber } from '../lib/format.js';
import classes from './HomePage.module.css';
import { monthToDate } from './monthToDate.js';

/** How much is played, and what this month has cost so far. Empty if nothing was played or spent. */
export function Figures({ views }: { views: HomeQuery['recentViews'] }) {
  const { data } = useQuery(SpendingDocument, { variables: monthToDate() });
  const spent = data?.spending.reduce(
    (sum, { processing, storage }) => sum + microsOf(processing) + microsOf(storage),
    0n,
  );
  if (views.playsLast30Days === 0 && !spent) return null;
  return (
    <dl className={`panel ${classes['figures']} num`}>
      <Figure label={words.figures.playsToday} value={showNumber(views.playsToday)} to="/analytics" />
      <Figure label={words.figures.plays30Days} value={showNumber(views.playsLast30Days)} to="/analytics" />
      <Figure
        label={words.figures.spentThisMonth}
        value={spent === undefined ? '–' : words.figures.credits(showCredits(toCredits(spent)))}
        to="/wallet"
      />
    </dl>
  );
}

function Figure({ label, value, to }: { label: string; value: string; to: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <Link to={to}>{value}</Link>
      </dd>
    </div>
  );
}
