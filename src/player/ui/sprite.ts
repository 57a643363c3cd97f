/** Maximum width of a preview above the bar. */
const MAX_WIDTH_PX = 168;

/**
 * The style that shows one picture of a sprite sheet: 'https://…/sheet.jpg#xywh=320,0,160,90'. Undefined for anything
 * else.
 */
export function spriteOf(address: string | undefined): Partial<CSSStyleDeclaration> | undefined {
  const match = /^(\S+?)(?:#xywh=(?:pixel:)?(\d+),(\d+),(\d+),(\d+))?$/.exec(address ?? '');
  const [, url, x, y, width, height] = match ?? [];
  if (!url || !Number(width) || !Number(height)) return undefined;
  const scale = MAX_WIDTH_PX / Number(width);
  return {
    width: `${width}px`,
    height: `${height}px`,
    // The size of the sheet is not known here, so the picture is cut out at its original size and then scaled.
    zoom: String(Math.min(1, scale)),
    backgroundImage: `url(${JSON.stringify(url)})`,
    backgroundPosition: `-${x}px -${y}px`,
  };
}
