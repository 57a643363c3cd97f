import { expect, it } from 'vitest';

import { FfmpegLogoTools } from '../../../src/adapters/transcode/pictures/ffmpegLogoTools.js';
import { svg } from '../../support/branding/logos.js';

/** Each pattern draws the one before it many times over: no machine finishes it. */
function endless(): string {
  const patterns = Array.from({ length: 12 }, (_, n) => {
    const inner = n === 0 ? '<rect width="1" height="1"/>' : `<rect width="64" height="64" fill="url(#p${n - 1})"/>`;
    return `<filter id="f${n}"><feTurbulence numOctaves="60" baseFrequency="0.9"/><feGaussianBlur stdDeviation="90"/></filter><pattern id="p${n}" width="1" height="1" patternUnits="userSpaceOnUse">${inner}</pattern>`;
  });
  const layers = Array.from(
    { length: 400 },
    (_, n) => `<rect width="100" height="100" filter="url(#f${n % 12})" fill="url(#p11)"/>`,
  );
  return svg(`<defs>${patterns.join('')}</defs>${layers.join('')}`);
}

it('refuses a logo that takes endless work after five seconds, with the reason', async () => {
  const tools = new FfmpegLogoTools({ searchPath: process.env['PATH'] ?? '', mustConfine: false });
  const refusal = await tools.normaliseLogo(Buffer.from(endless())).catch((error: unknown) => error);
  expect(refusal).toMatchObject({
    name: 'UnusableLogoError',
    message: 'This file takes too much time or memory to draw.',
  });
});
