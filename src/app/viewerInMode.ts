import type { IncomingMessage } from 'node:http';

import type { TestModeService } from '../domain/accounts/testMode/testMode.service.js';
import { readOnlyView } from '../domain/operations/support/ownerView.service.js';
import type { Viewer } from '../domain/accounts/viewer.js';
import { AppError } from '../errors.js';

const HEADER = 'x-dhara-mode';
/** For downloads and pictures: a link cannot send a header. */
const PARAMETER = 'mode';

/**
 * Who sends a request, in the mode that it asks for: `live` unless it says `test`, by a header or in its address. A
 * request in live mode costs nothing more.
 *
 * @throws INVALID_PARAMETER for another mode; VIEW_READ_ONLY for test mode in a view
 */
export function viewerInMode<Req extends IncomingMessage>(
  viewerOf: (req: Req) => Promise<Viewer | null>,
  testMode: Pick<TestModeService, 'viewerIn'>,
): (req: Req) => Promise<Viewer | null> {
  return async (req) => {
    const mode = modeOf(req);
    const viewer = await viewerOf(req);
    // The first request in test mode opens the test account, and a view changes nothing.
    if (mode === 'test' && viewer !== null && viewer.view !== null) throw readOnlyView();
    return viewer !== null && mode === 'test' ? testMode.viewerIn(viewer) : viewer;
  };
}

function modeOf({ headers, url = '' }: IncomingMessage): 'live' | 'test' {
  const at = url.indexOf('?');
  const mode = headers[HEADER] ?? (at === -1 ? null : new URLSearchParams(url.slice(at)).get(PARAMETER)) ?? 'live';
  if (mode !== 'live' && mode !== 'test') throw new AppError('INVALID_PARAMETER', 'The mode is live or test.');
  return mode;
}
