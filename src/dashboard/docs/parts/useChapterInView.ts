import { useEffect, useState } from 'react';
import type { Chapter } from '../contents.js';

/** The chapter that has reached this many pixels from the top counts as being read. */
const READING_LINE_PX = 140;

export function useChapterInView(chapters: readonly Chapter[]): string | undefined {
  const [current, setCurrent] = useState(chapters[0]?.id);
  useEffect(() => {
    const look = (): void => {
      const passed = chapters.filter(({ id }) => {
        const top = document.getElementById(id)?.getBoundingClientRect().top;
        return top !== undefined && top <= READING_LINE_PX;
      });
      const isAtEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
      setCurrent((isAtEnd ? chapters.at(-1) : (passed.at(-1) ?? chapters[0]))?.id);
    };
    look();
    addEventListener('scroll', look, { passive: true });
    return () => removeEventListener('scroll', look);
  }, [chapters]);
  return current;
}
