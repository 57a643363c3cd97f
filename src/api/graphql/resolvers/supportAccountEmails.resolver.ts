import { Ctx, FieldResolver, Resolver, Root, type ClassType } from 'type-graphql';

import { Access } from '../access.js';
import type { GraphqlContext } from '../context.js';
import { StaffRequest } from '../types/staffRequest.js';
import { AuditEntry } from '../types/support.js';
import { AdjustmentRequest, Alert, FailedVideo } from '../types/supportMoney.js';
import { SupportTopUp, SuspenseItem, WebhookEvent } from '../types/supportPayments.js';

interface OfAnAccount {
  readonly accountId: string | null;
}

/**
 * Adds `accountEmail` to a type with an `accountId`: staff lists show many accounts, and ids mean nothing to people.
 */
function accountEmailOf(type: () => ClassType<OfAnAccount>) {
  @Resolver(type)
  class AccountEmailResolver {
    @Access('support')
    @FieldResolver(() => String, { nullable: true, description: 'Null if it belongs to no one.' })
    accountEmail(@Root() { accountId }: OfAnAccount, @Ctx() context: GraphqlContext): Promise<string | null> | null {
      return accountId === null ? null : context.loaders.accountEmail.load(accountId);
    }
  }
  return AccountEmailResolver;
}

export const AccountEmailResolvers = [
  accountEmailOf(() => AdjustmentRequest),
  accountEmailOf(() => Alert),
  accountEmailOf(() => AuditEntry),
  accountEmailOf(() => FailedVideo),
  accountEmailOf(() => StaffRequest),
  accountEmailOf(() => SupportTopUp),
  accountEmailOf(() => SuspenseItem),
  accountEmailOf(() => WebhookEvent),
] as const;
