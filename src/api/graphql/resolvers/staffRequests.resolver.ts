import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { viewerIn, type GraphqlContext } from '../context.js';
import { StaffRequest, StaffRequestConnection } from '../types/staffRequest.js';
import { AdjustmentStatus } from '../types/supportMoney.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import { formatAmount } from '../../../domain/payments/topUps/amounts.js';
import type { StaffRequest as StaffRequestRecord } from '../../../domain/operations/support/staffRequest.js';

/** Refunds and quotas that need two members of staff. */
@Resolver()
export class StaffRequestsResolver {
  @Access('support')
  @Mutation(() => StaffRequest, {
    description:
      'Asks another member of staff to approve a quota that was refused with APPROVAL_REQUIRED. The same key twice is one request.',
  })
  async proposeApiKeyDailyQuota(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('apiKeyId', () => ID) apiKeyId: string,
    @Arg('dailyQuota', () => Int) dailyQuota: number,
    @Arg('reason', () => String) reason: string,
    @Arg('idempotencyKey', () => String) idempotencyKey: string,
  ): Promise<StaffRequest> {
    const proposal = { actorId: viewerIn(context).userId, accountId, apiKeyId, dailyQuota, reason, idempotencyKey };
    return staffRequestView(await context.services.staffRequests.proposeQuota(proposal));
  }

  @Access('support')
  @Mutation(() => StaffRequest, {
    description:
      'Asks another member of staff to approve a refund that was refused with APPROVAL_REQUIRED. The same key twice is one request.',
  })
  async proposeRefund(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('topUpId', () => ID) topUpId: string,
    @Arg('amount', () => String, { description: 'In the currency of the top-up.' }) amount: string,
    @Arg('reason', () => String) reason: string,
    @Arg('idempotencyKey', () => String) idempotencyKey: string,
  ): Promise<StaffRequest> {
    const proposal = { actorId: viewerIn(context).userId, accountId, topUpId, amount, reason, idempotencyKey };
    return staffRequestView(await context.services.staffRequests.proposeRefund(proposal));
  }

  @Access('support')
  @Query(() => StaffRequestConnection, { description: 'Of all accounts, newest first.' })
  async staffRequests(
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
    @Arg('status', () => AdjustmentStatus, { nullable: true }) status: AdjustmentStatus | null | undefined,
  ): Promise<StaffRequestConnection> {
    const page = { first: pageSize(first) + 1, after: after ?? null, status: status ?? null };
    return connectionOfRows(await context.services.staffRequests.list(page), first, staffRequestView);
  }

  @Access('support')
  @Mutation(() => StaffRequest, {
    description: 'Approves and carries out a request of another member of staff. Idempotent.',
  })
  async approveStaffRequest(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('id', () => ID) requestId: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<StaffRequest> {
    const decision = { actorId: viewerIn(context).userId, accountId, requestId, reason };
    return staffRequestView(await context.services.staffRequests.approve(decision));
  }

  @Access('support')
  @Mutation(() => StaffRequest)
  async refuseStaffRequest(
    @Ctx() context: GraphqlContext,
    @Arg('accountId', () => ID) accountId: string,
    @Arg('id', () => ID) requestId: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<StaffRequest> {
    const decision = { actorId: viewerIn(context).userId, accountId, requestId, reason };
    return staffRequestView(await context.services.staffRequests.refuse(decision));
  }
}

function staffRequestView(request: StaffRequestRecord): StaffRequest {
  return {
    id: request.id,
    accountId: request.accountId,
    kind: request.kind,
    apiKeyId: request.apiKeyId,
    apiKeyName: request.apiKeyName,
    dailyQuota: request.dailyQuota,
    topUpId: request.topUpId,
    amount: request.amountMinor === null ? null : formatAmount(request.amountMinor),
    currency: request.currency,
    reason: request.reason,
    status: request.status,
    requestedBy: request.requestedBy,
    requestedByEmail: request.requestedByEmail,
    requestedAt: request.requestedAt,
    expiresAt: request.expiresAt,
    decidedByEmail: request.decidedByEmail,
    decidedAt: request.decidedAt,
    decisionReason: request.decisionReason,
  };
}
