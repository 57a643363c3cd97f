/** A desktop, a tablet and a phone. */
export const SIZES = [
  { width: 1440, height: 900 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
] as const;

/** The windows that people use: a desktop, a tablet and a phone, each in light and in dark. In dark, nothing moves by itself. */
export const WINDOWS = SIZES.flatMap((viewport) =>
  (['light', 'dark'] as const).map((colorScheme) => ({
    name: `${viewport.width}-${colorScheme}`,
    viewport,
    colorScheme,
    reducedMotion: colorScheme === 'dark' ? ('reduce' as const) : ('no-preference' as const),
  })),
);
