import { words } from '#words/wallet.js';
import { creditsFor } from '../../lib/amounts.js';
import { microsOf, showCredits, toCredits } from '../../lib/credits.js';
import { showAge } from '../../lib/format.js';
import classes from './AddCreditsForm.module.css';
import type { Offer } from './offer.js';

interface Props {
  readonly offer: Offer;
  /** Undefined while the amount is invalid. */
  readonly minor: bigint | undefined;
  readonly bonus: string | null;
}

/** The credits for the amount, the exchange rate and how long it is valid, and the bonus of an invited account. */
export function Conversion({ offer, minor, bonus }: Props) {
  const { currency, creditsPerUnit, rateAsOf, quoteMinutes } = offer;
  if (creditsPerUnit === null) return null;
  const credits = minor === undefined ? undefined : creditsFor(minor, creditsPerUnit);
  const isFixed = rateAsOf === null;

  return (
    <div className={`${classes['worth']} num`} aria-live="polite">
      <p>
        {bonus && credits !== undefined
          ? words.conversion.getWithBonus(
              <b>{showCredits(credits)}</b>,
              <b>{showCredits(bonus)}</b>,
              <b>{showCredits(toCredits(microsOf(credits) + microsOf(bonus)))}</b>,
            )
          : words.conversion.get(<b>{credits === undefined ? '–' : showCredits(credits)}</b>)}
      </p>
      <small>
        {isFixed
          ? words.conversion.oneRupeeAlwaysOne
          : words.conversion.n1CreditsAsRate(
              currency,
              showCredits(creditsPerUnit),
              showAge(rateAsOf),
              quoteMinutes ?? 0,
            )}
        {bonus ? words.conversion.bonusFirstTopUp : ''}
      </small>
    </div>
  );
}
