import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';

import { Access } from '../access.js';
import { viewerIn, type GraphqlContext } from '../context.js';
import { Alert, AlertConnection, LedgerHealth } from '../types/supportMoney.js';
import { connectionOfRows, pageSize } from '../views/connectionView.js';
import { alertView, ledgerHealthView } from '../views/supportMoneyView.js';

/** Alerts for staff, and the state of the books. */
@Resolver()
export class SupportAlertsResolver {
  @Access('support')
  @Query(() => AlertConnection, { description: 'Newest first.' })
  async alerts(
    @Ctx() context: GraphqlContext,
    @Arg('first', () => Int, { defaultValue: 20, description: '1 to 100.' }) first: number,
    @Arg('after', () => String, { nullable: true }) after: string | null | undefined,
    @Arg('resolved', () => Boolean, { defaultValue: false, description: 'Include resolved ones.' })
    resolved: boolean,
  ): Promise<AlertConnection> {
    const alerts = await context.services.alerts.list({ first: pageSize(first) + 1, after: after ?? null, resolved });
    const rows = alerts.map((alert) => ({ ...alert, cursor: alert.id }));
    return connectionOfRows(rows, first, alertView);
  }

  @Access('support')
  @Mutation(() => Alert, { description: 'Marks an alert as resolved.' })
  async resolveAlert(
    @Ctx() context: GraphqlContext,
    @Arg('id', () => ID) id: string,
    @Arg('reason', () => String) reason: string,
  ): Promise<Alert> {
    return alertView(await context.services.alerts.resolve(id, viewerIn(context).userId, reason));
  }

  @Access('support')
  @Query(() => LedgerHealth)
  async ledgerHealth(@Ctx() context: GraphqlContext): Promise<LedgerHealth> {
    return ledgerHealthView(await context.services.ledgerAudit.health());
  }
}
