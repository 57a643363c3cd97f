/**
 * `/unsubscribe?token=…`: switches off one kind of email, for people who are not signed in.
 *
 * `POST` does it (RFC 8058: mail programs post `List-Unsubscribe=One-Click`). `GET` only shows a page with a button,
 * because programs that check emails for harmful links open all of them.
 */
import { Router, type NextFunction, type Request, type Response } from 'express';

import type { NotificationService } from '../../domain/accounts/notices/notifications.service.js';
import type { UnsubscribeLinks } from '../../domain/accounts/notices/unsubscribeLinks.js';
import { toAppError } from '../../errors.js';
import type { Logger } from '../../logger.js';
import { askPage, donePage, failedPage, invalidPage } from './pages.js';

export interface UnsubscribeRouterDeps {
  readonly notifications: Pick<NotificationService, 'choose'>;
  readonly unsubscribeLinks: Pick<UnsubscribeLinks, 'read'>;
  readonly logger: Logger;
}

export function createUnsubscribeRouter({ notifications, unsubscribeLinks, logger }: UnsubscribeRouterDeps): Router {
  const router = Router({ caseSensitive: true, strict: true });

  router.use((_req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    res.setHeader('Content-Type', 'text/html; charset=utf-8');
    // The address is a key to this one switch.
    res.setHeader('Referrer-Policy', 'no-referrer');
    next();
  });

  router.get('/', (req, res) => {
    const found = unsubscribeLinks.read(req.query['token']);
    if (found === null) res.status(404).end(invalidPage());
    else res.end(askPage(found.kind));
  });

  // The body says nothing that the token does not, so it is not read.
  router.post('/', async (req, res) => {
    const found = unsubscribeLinks.read(req.query['token']);
    if (found === null) {
      res.status(404).end(invalidPage());
      return;
    }
    await notifications.choose(found.accountId, found.kind, { email: false });
    res.end(donePage(found.kind));
  });

  router.all('/', (_req, res) => {
    res.setHeader('Allow', 'GET, HEAD, POST');
    res.status(405).end(invalidPage());
  });

  // Express recognizes error handlers by their four parameters.
  router.use((thrown: unknown, _req: Request, res: Response, _next: NextFunction) => {
    const error = toAppError(thrown);
    if (error.wake) logger.error({ scope: 'request', err: thrown }, 'an email could not be switched off');
    if (error.status === 503) res.setHeader('Retry-After', '2');
    res.status(error.status).end(failedPage());
  });
  return router;
}
