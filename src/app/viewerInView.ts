import type { IncomingMessage } from 'node:http';

import type { RequestHandler } from 'express';

import { type OwnerViewService, readOnlyView } from '../domain/operations/support/ownerView.service.js';
import type { Viewer } from '../domain/accounts/viewer.js';
import { AppError } from '../errors.js';

const HEADER = 'x-dhara-view';
/** What a page sends that was loaded outside of a view. */
const NO_VIEW = 'none';

type ViewerOf<Req> = (req: Req) => Promise<Viewer | null>;

/**
 * Who sends a request: the owner, if the session looks at an account, otherwise the user of the session.
 *
 * Only the session decides. The header can only refuse: a page says with which view it was loaded, so that one that is still
 * open when a view begins or ends does not continue under another identity.
 *
 * @throws VIEW_CHANGED
 */
export function viewerInView<Req extends IncomingMessage>(
  viewerOf: ViewerOf<Req>,
  views: Pick<OwnerViewService, 'viewerIn'>,
): ViewerOf<Req> {
  return async (req) => {
    const viewer = await viewerOf(req);
    if (viewer === null) return null;
    const seen = await views.viewerIn(viewer);
    const loadedIn = req.headers[HEADER];
    if (loadedIn !== undefined && loadedIn !== (seen.view?.id ?? NO_VIEW)) {
      throw new AppError('VIEW_CHANGED', 'You began or ended a view meanwhile. Reload this page.');
    }
    return seen;
  };
}

/** For routes that are no part of views: refuses a session that is in one. @throws VIEW_READ_ONLY */
export function outsideViews<Req>(viewerOf: ViewerOf<Req>): ViewerOf<Req> {
  return async (req) => {
    const viewer = await viewerOf(req);
    if (viewer !== null && viewer.view !== null) throw readOnlyView();
    return viewer;
  };
}

/** Requests to the identity endpoints that a session in a view may send: leaving, and signing in as somebody else. */
const ALLOWED_IN_VIEW: ReadonlySet<string> = new Set(['/sign-out', '/sign-in/email']);

/**
 * Refuses the identity endpoints to a session in a view. They read sessions themselves, so from a page that shows another
 * account they would change the password, name or second factor of the member of staff.
 */
export function identityOutsideViews(handler: RequestHandler, viewerOf: ViewerOf<IncomingMessage>): RequestHandler {
  const ownViewerOf = outsideViews(viewerOf);
  return async (req, res, next) => {
    try {
      if (!ALLOWED_IN_VIEW.has(req.path)) await ownViewerOf(req);
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      // The format in which these endpoints refuse.
      const { code, message, status } = error;
      res.status(status).setHeader('Cache-Control', 'no-store').json({ code, message });
      return;
    }
    await handler(req, res, next);
  };
}
