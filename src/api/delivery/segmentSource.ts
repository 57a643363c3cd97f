import type { ObjectLinks } from '../../ports/objectLinks.js';

/** Where players fetch segments that do not come through this service. */
export type SegmentSource =
  | { readonly kind: 'presigned'; readonly links: ObjectLinks }
  /** `origin` checks the grant in `{origin}/{grant}/{video}/{run}/{rendition}/{segment}`. */
  | { readonly kind: 'cdn'; readonly origin: string };

/**
 * `null` means from this service, which always works. Only this service finds videos while they move between stores.
 */
export function segmentSource(
  links: ObjectLinks | null,
  { cdnUrl, presigned }: { cdnUrl: string | undefined; presigned: boolean },
): SegmentSource | null {
  if (links === null) return null;
  if (cdnUrl !== undefined) return { kind: 'cdn', origin: new URL(cdnUrl).origin };
  return presigned ? { kind: 'presigned', links } : null;
}

/** Origins that pages must be allowed to fetch from. */
export function mediaOrigins(segments: SegmentSource | null): string[] {
  if (segments === null) return [];
  return [segments.kind === 'cdn' ? segments.origin : new URL(segments.links.baseUrl).origin];
}
