import { useMutation } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { CreateQuoteDocument, type Quality, type VideoRowFragment } from '../generated/graphql.js';
import { microsOf, toCredits } from '../lib/credits.js';
import type { Quote } from './QuoteTable.js';

/** Prices asked for side by side. */
const ABREAST = 4;

export interface Priced {
  readonly video: VideoRowFragment;
  /** Undefined while it is being asked for, or where that failed. */
  readonly quote: Quote | undefined;
  readonly error: unknown;
}

interface Quotes {
  readonly priced: readonly Priced[];
  /** The sum of all prices that are there. */
  readonly total: string;
  readonly isComplete: boolean;
}

/** The binding price of each video at a quality, or at the best its file is worth where that is less. */
export function useQuotes(videos: readonly VideoRowFragment[], quality: Quality): Quotes {
  const [createQuote] = useMutation(CreateQuoteDocument);
  const [answers, setAnswers] = useState<ReadonlyMap<string, Omit<Priced, 'video'>>>(new Map());
  // What is asked for, as one string: the list is a new one at every render.
  const wanted = JSON.stringify(
    videos.map(({ id, addons: { branding, encryption }, normalizeLoudness }) => ({
      id,
      branding,
      encryption,
      normalizeLoudness,
    })),
  );

  useEffect(() => {
    const closing = new AbortController();
    const waiting = JSON.parse(wanted) as {
      id: string;
      branding: boolean;
      encryption: boolean;
      normalizeLoudness: boolean;
    }[];
    const note = (id: string, answer: Omit<Priced, 'video'>): void => {
      if (!closing.signal.aborted) setAnswers((before) => new Map(before).set(id, answer));
    };
    async function work(): Promise<void> {
      for (let next = waiting.shift(); next && !closing.signal.aborted; next = waiting.shift()) {
        const { id, ...choice } = next;
        try {
          const { data } = await createQuote({
            variables: { videoId: id, quality, ...choice },
          });
          note(id, { quote: data?.createQuote, error: undefined });
        } catch (error) {
          note(id, { quote: undefined, error });
        }
      }
    }
    void Promise.all(Array.from({ length: ABREAST }, work));
    return () => {
      closing.abort();
      setAnswers(new Map());
    };
  }, [wanted, quality, createQuote]);

  const priced = videos.map((video) => ({ video, quote: undefined, error: undefined, ...answers.get(video.id) }));
  const sum = priced.reduce((micros, { quote }) => micros + (quote ? microsOf(quote.total) : 0n), 0n);
  return {
    priced,
    total: toCredits(sum),
    isComplete: videos.every(({ id }) => answers.has(id)),
  };
}
