import { LoginFile, loginPath } from '../../../src/cli/owner/loginFile.js';
import type { AccessTokenScope } from '../../../src/ports/identity.js';
import type { Client } from '../../support/graphql/client.js';
import type { GraphqlService } from '../graphql/service.js';

/** Keeps a token in the file where a login keeps it. Sign-ins are limited per minute, so not every test signs in. */
export async function keepToken(
  service: GraphqlService,
  owner: Client,
  configHome: string,
  scopes: AccessTokenScope[],
): Promise<void> {
  const { rows } = await service.admin.query<{ id: string }>(
    'select id from auth.session where "userId" = $1 limit 1',
    [owner.accountId],
  );
  const by = { accountId: owner.accountId, sessionId: rows[0]!.id };
  const made = await service.services.accessTokens.create(by, { name: 'a process', scopes, expiresInDays: 1 });
  await new LoginFile(loginPath(configHome)).write({ url: service.url, token: made.token, tokenId: made.record.id });
}
