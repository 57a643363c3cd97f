import { words } from '#words/wallet.js';
import type { PaymentProviderName } from '../../generated/graphql.js';
import { StateTag } from '../StateTag.js';
import classes from './AddCreditsForm.module.css';
import type { Offer } from './offer.js';
import { PROVIDER } from './words.js';

interface Props {
  readonly offers: readonly Offer[];
  readonly chosen: PaymentProviderName;
  readonly onChoose: (name: PaymentProviderName) => void;
}

/** The payment providers. One without a current exchange rate is shown, and says so. */
export function ProviderChoice({ offers, chosen, onChoose }: Props) {
  return (
    <fieldset className={classes['ways']}>
      <legend>{words.providerChoice.pay}</legend>
      {offers.map(({ name, currency, sandbox, creditsPerUnit }) => (
        <div key={name} className={classes['way']} data-chosen={name === chosen || undefined}>
          <input
            type="radio"
            name="provider"
            id={`pay-${name}`}
            aria-describedby={`pay-${name}-ways`}
            checked={name === chosen}
            disabled={creditsPerUnit === null}
            onChange={() => onChoose(name)}
          />
          <div>
            <label htmlFor={`pay-${name}`}>
              {PROVIDER[name].label} <em>{currency}</em>
            </label>
            {sandbox ? <StateTag kind="open">{words.providerChoice.sandbox}</StateTag> : null}
            <small id={`pay-${name}-ways`}>
              {creditsPerUnit === null ? words.providerChoice.noCurrentExchangeRate : PROVIDER[name].ways}
            </small>
          </div>
        </div>
      ))}
    </fieldset>
  );
}
