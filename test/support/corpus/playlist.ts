/** A playlist parsed line by line, without judging it. */
export interface ParsedPlaylist {
  readonly text: string;
  readonly tags: readonly Tag[];
  readonly uris: readonly { line: number; uri: string }[];
}

export interface Tag {
  readonly line: number;
  /** 'EXT-X-MEDIA' */
  readonly name: string;
  /** The text after the colon; empty if there is none. */
  readonly value: string;
}

export function parsePlaylist(text: string): ParsedPlaylist {
  const lines = text.split(/\r?\n/);
  const tags: Tag[] = [];
  const uris: { line: number; uri: string }[] = [];
  for (const [line, content] of lines.entries()) {
    const [, name, , value = ''] = /^#(EXT[A-Z0-9-]*)(:(.*))?$/.exec(content) ?? [];
    if (name !== undefined) tags.push({ line, name, value });
    else if (content !== '' && !content.startsWith('#')) uris.push({ line, uri: content });
  }
  return { text, tags, uris };
}

export function tagsNamed(playlist: ParsedPlaylist, name: string): Tag[] {
  return playlist.tags.filter((tag) => tag.name === name);
}

/** RFC 8216bis, 4.2: AttributeName=AttributeValue, separated by commas. @throws if it is not such a list */
export function attributesOf({ name, value }: Tag): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  let rest = value;
  while (rest !== '') {
    const found = /^([A-Z0-9-]+)=("[^"\r\n]*"|[^",\s]+)(,(?=.)|$)/.exec(rest);
    if (!found) throw new Error(`${name} has a broken attribute list at: ${rest}`);
    const [whole, key = '', content = ''] = found;
    if (attributes.has(key)) throw new Error(`${name} says ${key} twice`);
    attributes.set(key, content);
    rest = rest.slice(whole.length);
  }
  return attributes;
}

/** A quoted attribute without its quotes. */
export function quoted(value: string | undefined): string | undefined {
  return value === undefined ? undefined : /^"(.*)"$/.exec(value)?.[1];
}

export interface ListedSegment {
  readonly uri: string;
  readonly durationSeconds: number;
}

/** The media segments of a media playlist, in playing order. */
export function segmentsOf(playlist: ParsedPlaylist): ListedSegment[] {
  const lengths = tagsNamed(playlist, 'EXTINF');
  let next = 0;
  return playlist.uris.map(({ line, uri }) => {
    while (next < lengths.length && lengths[next]!.line < line) next += 1;
    return { uri, durationSeconds: Number(lengths[next - 1]?.value.split(',')[0]) };
  });
}
