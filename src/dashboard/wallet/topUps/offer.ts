import type { PaymentOffersQuery } from '../../generated/graphql.js';

export type Offer = PaymentOffersQuery['paymentProviders'][number];
