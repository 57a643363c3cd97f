import { chapterOf } from '../contents.js';

export interface Hit {
  readonly to: string;
  readonly chapter: string;
  readonly title: string;
  /** The text around the first match. */
  readonly around: readonly Piece[];
}

interface Piece {
  readonly text: string;
  readonly isMatch: boolean;
}

/** A part of a chapter. */
export interface Passage {
  readonly id: string;
  readonly title: string;
  text: string;
}

const AROUND_CHARACTERS = 90;
const MOST_HITS = 30;

/** The passages that contain every word, those first that have one in their title. */
export function findIn(passages: readonly Passage[], search: string): Hit[] {
  const typed = search.toLowerCase().match(/\S+/g) ?? [];
  const found = passages.filter(({ title, text }) => {
    const all = `${title} ${text}`.toLowerCase();
    return typed.every((word) => all.includes(word));
  });
  const inTitle = ({ title }: Passage): number => Number(!typed.some((word) => title.toLowerCase().includes(word)));
  return found
    .toSorted((a, b) => inTitle(a) - inTitle(b))
    .slice(0, MOST_HITS)
    .flatMap((passage) => {
      const chapter = chapterOf(passage.id);
      if (!chapter) return [];
      const to = `${chapter.path}#${passage.id}`;
      return [{ to, chapter: chapter.title, title: passage.title, around: around(passage.text, typed) }];
    });
}

/** What lies between two headings that have an anchor. */
export function passagesOf(chapters: Element): Passage[] {
  const passages: Passage[] = [];
  for (const section of chapters.querySelectorAll('section[id]')) {
    passages.push({ id: section.id, title: titleOf(section.querySelector('h2')), text: '' });
    for (const element of section.children) {
      if (element.tagName === 'H3' && element.id) {
        passages.push({ id: element.id, title: titleOf(element), text: '' });
      } else if (element.tagName !== 'H2') {
        passages.at(-1)!.text += ` ${textOf(element)}`;
      }
    }
  }
  return passages;
}

/** Without the sign that links to it. */
function titleOf(heading: Element | null): string {
  return heading?.firstChild?.textContent ?? '';
}

/** With a space between cells and paragraphs, and none within a word of which a part is marked, or that may break. */
function textOf(element: Element): string {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  let text = '';
  let last: Element | null | undefined;
  while (walker.nextNode()) {
    const { textContent, parentElement } = walker.currentNode;
    if (parentElement?.closest('button, [role=tab]')) continue;
    const block = parentElement?.closest(':not(a, b, code, em, i, kbd, mark, span, strong)');
    text += `${block === last ? '' : ' '}${textContent}`;
    last = block;
  }
  return text.replace(/\s+/g, ' ').trim();
}

/** The first match between what precedes and follows it, with an ellipsis where the text continues. */
function around(text: string, typed: readonly string[]): Piece[] {
  const lower = text.toLowerCase();
  const places = typed.map((word) => ({ at: lower.indexOf(word), length: word.length })).filter(({ at }) => at >= 0);
  const { at, length } = places.toSorted((a, b) => a.at - b.at)[0] ?? { at: 0, length: 0 };
  const from = Math.max(0, at - AROUND_CHARACTERS);
  const to = at + length + AROUND_CHARACTERS;
  return [
    { text: `${from > 0 ? '…' : ''}${text.slice(from, at)}`, isMatch: false },
    { text: text.slice(at, at + length), isMatch: length > 0 },
    { text: `${text.slice(at + length, to)}${to < text.length ? '…' : ''}`, isMatch: false },
  ];
}
