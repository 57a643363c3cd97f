import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { knowView } from '../../../src/dashboard/session/view.js';
import { auth } from '../../../src/dashboard/session/authClient.js';
import { keep, readKept } from '../../../src/dashboard/session/keptInBrowser.js';
import { drawPreview, sendLogo } from '../../../src/dashboard/settings/brandCalls.js';
import { sendPoster } from '../../../src/dashboard/videos/sendPoster.js';

type Known = Parameters<typeof knowView>[0];

const PLACEMENT = { position: 'CENTER', widthPercent: 10, marginPercent: 0, opacityPercent: 100 } as const;

describe('a page that was loaded in a view of another account', () => {
  /** What each request says, in its order. */
  const said: (string | null)[] = [];
  const kept = new Map<string, string>();

  beforeAll(() => {
    vi.stubGlobal('fetch', (_path: string, init?: RequestInit) => {
      said.push(new Headers(init?.headers).get('x-dhara-view'));
      return Promise.resolve(Response.json({}));
    });
    vi.stubGlobal('localStorage', {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    });
  });
  afterAll(() => vi.unstubAllGlobals());

  it('says so in requests other than GraphQL too, and keeps nothing in the browser', async () => {
    keep('palette', 'own', ['before']);
    await auth.rename('before');
    knowView({ role: 'OWNER', view: { id: 'the view' } } as Known);

    // Once the view has ended, each of them would be about the member of staff.
    await auth.rename('Asha');
    await auth.changePassword('a', 'b');
    await sendLogo(new File(['x'], 'logo.png'));
    await drawPreview(PLACEMENT, null);
    await sendPoster('video', new File(['x'], 'poster.jpg'));
    expect(said).toEqual([null, ...Array<string>(5).fill('the view')]);

    keep('palette', 'theirs', ['a title']);
    expect(readKept('palette', 'theirs')).toBeNull();
    expect(readKept('palette', 'own')).toEqual(['before']);
  });
});
