import { creditsFor } from '../../lib/amounts.js';
import { microsOf, showCredits, toCredits } from '../../lib/credits.js';
import { showAge } from '../../lib/format.js';
import classes from './AddCreditsForm.module.css';
import type { Offer } from './offer.js';

interface Props {
  readonly offer: Offer;
  /** Undefined while the amount cannot be paid as it is. */
  readonly minor: bigint | undefined;
  readonly bonus: string | null;
}

/** What the amount becomes: credits, at which rate, for how long that holds, and the bonus of an invited account. */
export function Conversion({ offer, minor, bonus }: Props) {
  const { currency, creditsPerUnit, rateAsOf, quoteMinutes } = offer;
  if (creditsPerUnit === null) return null;
  const credits = minor === undefined ? undefined : creditsFor(minor, creditsPerUnit);
  const isFixed = rateAsOf === null;

  return (
    <div className={`${classes['worth']} num`} aria-live="polite">
      <p>
        You get <b>{credits === undefined ? '–' : showCredits(credits)}</b> credits
        {bonus && credits !== undefined ? (
          <>
            {' '}
            and a bonus of <b>{showCredits(bonus)}</b>:{' '}
            <b>{showCredits(toCredits(microsOf(credits) + microsOf(bonus)))}</b>
          </>
        ) : null}
        .
      </p>
      <small>
        {isFixed
          ? 'One rupee is one credit, always.'
          : `1 ${currency} is ${showCredits(creditsPerUnit)} credits, as of ${showAge(rateAsOf)}. This rate holds for ${spanOf(quoteMinutes ?? 0)} once you go on.`}
        {bonus ? ' The bonus is for your first top-up, because you came with somebody’s code.' : ''}
      </small>
    </div>
  );
}

function spanOf(minutes: number): string {
  return minutes % 60 === 0 ? (minutes === 60 ? 'an hour' : `${minutes / 60} hours`) : `${minutes} minutes`;
}
