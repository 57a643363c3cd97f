import { useMutation } from '@apollo/client/react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { CreateQuoteDocument, type VideoRowFragment } from '../generated/graphql.js';
import { microsOf, toCredits } from '../lib/credits.js';
import { within, type Choice } from './choice.js';
import type { Quote } from './QuoteTable.js';

/** Prices requested in parallel. */
const ABREAST = 4;

export interface Wanted {
  readonly video: VideoRowFragment;
  readonly choice: Choice;
}

type Question = Choice & { videoId: string; round: number; attempt?: number };

interface Answer {
  /** Undefined while it is being requested, or after a failure. */
  readonly quote: Quote | undefined;
  readonly error: unknown;
}

export interface Priced extends Wanted, Answer {}

export interface Quotes {
  readonly priced: readonly Priced[];
  /** The sum of all known prices. */
  readonly total: string;
  readonly isComplete: boolean;
  /** Requests all prices again: after a failure or an expiry. */
  readonly askAgain: () => void;
}

/**
 * The binding price of each video with its options. A changed choice requests only its own price again. So does a video
 * that was bought meanwhile and cancelled, because a quote buys only once. A price that was refused is requested again
 * once its video has left the list and is back, as after an undo.
 */
export function useQuotes(wanted: readonly Wanted[]): Quotes {
  const [createQuote] = useMutation(CreateQuoteDocument);
  const [answers, setAnswers] = useState<ReadonlyMap<string, Answer>>(new Map());
  const [round, setRound] = useState(0);
  const asked = useRef(new Set<string>());
  const refused = useRef(new Set<string>());
  const questionOf = ({ video, choice }: Wanted): string =>
    JSON.stringify({ round, attempt: video.processing?.attempt, videoId: video.id, ...within(video, choice) });
  // As one string, because the list is a new array on every render.
  const questions = JSON.stringify(wanted.map(questionOf));

  useEffect(() => {
    const closing = new AbortController();
    const current = JSON.parse(questions) as string[];
    for (const question of refused.current) {
      if (current.includes(question)) continue;
      refused.current.delete(question);
      asked.current.delete(question);
      setAnswers((before) => new Map([...before].filter(([one]) => one !== question)));
    }
    const waiting = current.filter((question) => !asked.current.has(question));
    async function work(): Promise<void> {
      for (let next = waiting.shift(); next && !closing.signal.aborted; next = waiting.shift()) {
        const question = next;
        asked.current.add(question);
        const { round: _round, attempt: _attempt, ...variables } = JSON.parse(question) as Question;
        const answer = await createQuote({ variables }).then(
          ({ data }) => ({ quote: data?.createQuote, error: undefined }),
          (error: unknown) => ({ quote: undefined, error }),
        );
        if (answer.error !== undefined) refused.current.add(question);
        setAnswers((before) => new Map(before).set(question, answer));
      }
    }
    void Promise.all(Array.from({ length: ABREAST }, work));
    return () => closing.abort();
  }, [questions, createQuote]);

  const priced = wanted.map((one) => ({ ...one, quote: undefined, error: undefined, ...answers.get(questionOf(one)) }));
  const sum = priced.reduce((micros, { quote }) => micros + (quote ? microsOf(quote.total) : 0n), 0n);
  return {
    priced,
    total: toCredits(sum),
    isComplete: priced.every(({ quote, error }) => quote !== undefined || error !== undefined),
    askAgain: useCallback(() => setRound((before) => before + 1), []),
  };
}
