import type { BrandFieldsFragment } from '../generated/graphql.js';

export type Placement = Pick<BrandFieldsFragment, 'position' | 'widthPercent' | 'marginPercent' | 'opacityPercent'>;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** In percent of the picture's width and height. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Where the service will place the logo: as wide as requested, unless it would extend beyond the picture. */
export function brandBox(placement: Placement, logo: Size, picture: Size): Box {
  const { position } = placement;
  const margin = Math.min((picture.width * placement.marginPercent) / 100, picture.height / 4);
  const scale = Math.min(
    (picture.width * placement.widthPercent) / 100 / logo.width,
    (picture.height - 2 * margin) / logo.height,
  );
  const width = logo.width * scale;
  const height = logo.height * scale;
  const left = position.endsWith('LEFT')
    ? margin
    : position.endsWith('RIGHT')
      ? picture.width - width - margin
      : (picture.width - width) / 2;
  const top = position.startsWith('TOP')
    ? margin
    : position.startsWith('BOTTOM')
      ? picture.height - height - margin
      : (picture.height - height) / 2;
  const across = (length: number) => (100 * length) / picture.width;
  const down = (length: number) => (100 * length) / picture.height;
  return { left: across(left), top: down(top), width: across(width), height: down(height) };
}
