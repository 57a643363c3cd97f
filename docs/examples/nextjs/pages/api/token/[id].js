import { dhara } from '../../../lib/dhara.js';
import { fail } from '../../../lib/failures.js';

/** POST /videos/:id/token: a fresh token for a page that was open for more than five minutes. */
export default async function handler(req, res) {
  if (req.method !== 'POST') {
    res.status(405).setHeader('Allow', 'POST').end();
    return;
  }
  res.setHeader('Cache-Control', 'no-store').setHeader('Content-Type', 'text/plain');
  try {
    const { data } = await dhara.createPlaybackToken(req.query.id);
    res.send(data.token);
  } catch (error) {
    res.end(fail(res, error).title);
  }
}
