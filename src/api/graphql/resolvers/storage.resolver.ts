import { Arg, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';

import { Access } from '../access.js';
import { accountIdIn, type GraphqlContext } from '../context.js';
import { Day } from '../scalars/day.js';
import { Storage, StorageDay } from '../types/storage.js';
import { SupportAccount } from '../types/support.js';
import type { StorageDay as ChargedDay, StorageOverview } from '../../../domain/payments/storage/storage.service.js';

@Resolver(() => Storage)
export class StorageResolver {
  @Access('owner')
  @Query(() => Storage)
  async storage(@Ctx() context: GraphqlContext): Promise<Storage> {
    return storageOf(context, accountIdIn(context));
  }

  @FieldResolver(() => [StorageDay], {
    description:
      'Charged days, oldest first: from and to included, at most 366. Days with nothing stored are left out.',
  })
  async history(
    @Root() storage: Storage,
    @Ctx() context: GraphqlContext,
    @Arg('from', () => Day) from: string,
    @Arg('to', () => Day) to: string,
  ): Promise<StorageDay[]> {
    return (await context.services.storage.history(storage.accountId, from, to)).map(storageDayView);
  }
}

/** Storage of any account, for staff. */
@Resolver(() => SupportAccount)
export class SupportStorageResolver {
  @Access('support')
  @FieldResolver(() => Storage)
  async storage(@Root() account: SupportAccount, @Ctx() context: GraphqlContext): Promise<Storage> {
    return storageOf(context, account.id);
  }
}

async function storageOf(context: GraphqlContext, accountId: string): Promise<Storage> {
  return storageView(accountId, await context.services.storage.overview(accountId));
}

/**
 * Runway is capped: storing a few bytes is paid for thousands of years, which means nothing to people and may overflow
 * the type.
 */
const MAX_RUNWAY_DAYS = 36_500n;

function storageView(accountId: string, overview: StorageOverview): Storage {
  const { runwayDays } = overview;
  return {
    accountId,
    bytes: Number(overview.bytes),
    creditsPerDay: overview.perDayMicros,
    runwayDays: runwayDays === null ? null : Number(runwayDays < MAX_RUNWAY_DAYS ? runwayDays : MAX_RUNWAY_DAYS),
    autoAllocate: overview.autoAllocate,
  };
}

function storageDayView(day: ChargedDay): StorageDay {
  return {
    day: day.day,
    bytes: Number(day.bytes),
    charged: day.chargedMicros,
    fromCloud: day.fromCloudMicros,
    fromMaster: day.fromMasterMicros,
    arrears: day.arrearsMicros,
  };
}
