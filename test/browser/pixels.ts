import type { Page } from 'playwright-core';

interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The color that a part of the window has on average, as people see it: red, green and blue, each from 0 to 1. */
export async function colorIn(page: Page, clip: Part): Promise<readonly [number, number, number]> {
  const picture = await page.screenshot({ clip, animations: 'disabled' });
  return page.evaluate(
    async (bytes) => {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)]));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!;
      canvas.drawImage(bitmap, 0, 0);
      const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height);
      const mean = (part: number): number =>
        data.reduce((sum, value, at) => (at % 4 === part ? sum + value : sum), 0) / (data.length / 4) / 255;
      return [mean(0), mean(1), mean(2)] as const;
    },
    [...picture],
  );
}

/** From 1, for the same color, to 21, for black on white (WCAG 2.2). */
export function contrastOf(...colors: readonly [readonly number[], readonly number[]]): number {
  const [one, other] = colors.map((color) => {
    const [red, green, blue] = color.map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  });
  return (Math.max(one!, other!) + 0.05) / (Math.min(one!, other!) + 0.05);
}
