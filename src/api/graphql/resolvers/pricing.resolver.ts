import { Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { PriceList } from '../types/pricing.js';
import { priceListView } from '../views/pricingView.js';

@Resolver()
export class PricingResolver {
  @Access('public')
  @Query(() => PriceList)
  priceList(): PriceList {
    return priceListView();
  }
}
